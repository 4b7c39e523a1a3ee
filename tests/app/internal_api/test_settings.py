"""The settings' defaults are the contract's, and they cannot be changed once made."""

import pytest
from pydantic import ValidationError

from app.internal_api.settings import InternalApiSettings


def test_the_defaults_are_those_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INTERNAL_API_MAX_UPLOAD_BYTES", raising=False)

    settings = InternalApiSettings()

    assert settings.max_upload_bytes == 50 * 1024 * 1024
    assert (settings.fetch_seconds, settings.demo_hours, settings.demo_quota) == (20, 24, 200)
    assert (settings.panel_concurrency, settings.panels_at_once, settings.answer_seconds) == (10, 4, 30)
    assert settings.run_worker is True


@pytest.mark.parametrize("name", ["lease_seconds", "training_concurrency", "poll_seconds", "max_json_bytes"])
def test_nothing_is_bounded_by_zero(name: str) -> None:
    with pytest.raises(ValidationError):
        InternalApiSettings.model_validate({name: 0})
