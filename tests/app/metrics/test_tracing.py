"""Spans cost nothing until somebody collects them."""

from pathlib import Path

from app.composition import Parts, open_tracer
from app.factory import create_app
from app.metrics.metrics import Metrics
from app.metrics.otlp import OtlpTracer
from tests.edge import lifespan, settings_for
from tests.spans import KeepingTracer

COLLECTOR = "http://127.0.0.1:1"


def test_there_is_a_tracer_where_there_is_a_collector_and_nowhere_else(tmp_path: Path) -> None:
    tracer = open_tracer(settings_for(tmp_path, otel_exporter_otlp_endpoint=COLLECTOR), Metrics())
    disabled = settings_for(tmp_path, otel_exporter_otlp_endpoint=COLLECTOR, otel_sdk_disabled=True)

    assert open_tracer(settings_for(tmp_path), Metrics()) is None
    assert open_tracer(disabled, Metrics()) is None
    assert isinstance(tracer, OtlpTracer)
    tracer.close()


async def test_what_is_left_is_sent_at_the_end(tmp_path: Path) -> None:
    closed: list[bool] = []

    class Closing(KeepingTracer):
        def close(self) -> None:
            closed.append(True)

    async with lifespan(create_app(settings_for(tmp_path), Parts(tracer=Closing()))):
        assert closed == []

    assert closed == [True]
