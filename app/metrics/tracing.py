"""Whether spans are made at all. What makes them takes memory and start time, and is loaded only then."""

import importlib

from app.metrics.metrics import Metrics
from app.settings.operations import TelemetrySettings
from mcp_server.observability.tracing import Tracer


def open_tracer(settings: TelemetrySettings, metrics: Metrics) -> Tracer | None:
    if settings.otel_exporter_otlp_endpoint is None or settings.otel_sdk_disabled:
        return None
    tracer: Tracer = importlib.import_module("app.metrics.otlp").OtlpTracer(settings, metrics.exported)
    return tracer
