"""Which settings of log, metrics and traces are possible."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.edge import settings_for


def test_by_default_calls_are_logged_and_counted_and_nothing_leaves_the_process(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)

    assert (settings.log_level, settings.metrics_enabled) == ("info", True)
    assert settings.otel_exporter_otlp_endpoint is None
    assert settings.prometheus_multiproc_dir is None


def test_the_collector_is_an_address(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, otel_exporter_otlp_endpoint="https://collector.example:4318/")

    assert settings.otel_exporter_otlp_endpoint == "https://collector.example:4318"


@pytest.mark.parametrize(
    "wrong",
    [
        {"otel_exporter_otlp_endpoint": "collector:4318"},
        {"otel_exporter_otlp_headers": "secret-without-a-name"},
        {"otel_traces_sampler": "sometimes"},
        {"otel_traces_sampler_arg": 1.5},
        {"log_level": "loud"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_cannot_be_meant_is_refused_without_the_value(tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError) as caught:
        settings_for(tmp_path, **wrong)

    assert str(caught.value.errors()[0]["loc"][0]) in wrong
    assert "secret-without" not in str(caught.value)
