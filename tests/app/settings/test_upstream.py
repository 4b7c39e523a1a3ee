"""The seed's tables of breakers, timeouts and caches."""

import pytest

from app.settings.upstream import UpstreamSettings


def test_the_numbers_are_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in UpstreamSettings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    settings = UpstreamSettings()

    assert (settings.breaker.failures, settings.breaker.reset_seconds, settings.breaker.successes) == (
        5,
        30,
        2,
    )
    timeouts = settings.timeouts
    assert (timeouts.default, timeouts.create, timeouts.chat, timeouts.polling) == (30, 60, 45, 5)
    kept = settings.lifetimes
    assert (kept.create_dedup, kept.token, kept.latest_spark) == (10, 60, 1800)
    assert (kept.widget_token, kept.recent_spark) == (300, 30)
