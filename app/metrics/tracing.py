"""Whether spans are made at all. What makes them takes memory and start time, and is loaded only then."""

import importlib
from typing import Protocol

from app.metrics.metrics import Metrics
from app.settings.operations import TelemetrySettings
from mcp_server.observability.tracing import Tracer

EXPORTING = "app.metrics.otlp"


class ExportingTracer(Tracer, Protocol):
    """A tracer whose spans are sent somewhere."""

    def close(self) -> None:
        """Send what is left. It waits for the network: not for the event loop."""
        ...


def open_tracer(settings: TelemetrySettings, metrics: Metrics) -> ExportingTracer | None:
    """The tracer that the settings ask for; None where nobody collects spans."""
    if settings.otel_exporter_otlp_endpoint is None or settings.otel_sdk_disabled:
        return None
    tracer: ExportingTracer = importlib.import_module(EXPORTING).OtlpTracer(settings, metrics.exported)
    return tracer
