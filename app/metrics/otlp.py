"""Spans by OpenTelemetry's SDK, to a collector. Loaded where one is configured, and nowhere else.

Neither the SDK's global provider nor its context is used: other libraries' spans, which may hold anything, go nowhere.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind, Status, StatusCode, format_span_id, format_trace_id, get_current_span
from opentelemetry.trace import Span as SdkSpan
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app.settings.operations import TelemetrySettings
from mcp_server.observability.tracing import Attributes, Kind, Span, Trace

Exported = Callable[[int, bool], None]
"""Called with how many spans were sent, and whether the collector has them."""


class OtlpTracer:
    """Makes spans, and sends them to the collector of `settings` in the background and in batches."""

    def __init__(self, settings: TelemetrySettings, exported: Exported) -> None:
        about = {"service.name": settings.otel_service_name, "service.version": version("minds-gateway")}
        sampler = sampler_of(settings.otel_traces_sampler, settings.otel_traces_sampler_arg)
        self._provider = TracerProvider(resource=Resource.create(about), sampler=sampler, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_Exporter(settings, exported)))
        self._tracer = self._provider.get_tracer("minds-gateway", version("minds-gateway"))

    def start(
        self, name: str, kind: Kind, attributes: Attributes, parent: Trace | None, links: Sequence[Trace] = ()
    ) -> Span:
        linked = [Link(get_current_span(_context(link)).get_span_context()) for link in links]
        return _OtlpSpan(
            self._tracer.start_span(name, _context(parent), SpanKind[kind.upper()], dict(attributes), linked)
        )

    def close(self) -> None:
        self._provider.shutdown()


def sampler_of(name: str, share: float) -> Sampler:
    roots: dict[str, Sampler] = {"always_on": ALWAYS_ON, "always_off": ALWAYS_OFF}
    root = roots.get(name.removeprefix("parentbased_"), TraceIdRatioBased(share))
    return ParentBased(root) if name.startswith("parentbased_") else root


class _OtlpSpan:
    def __init__(self, span: SdkSpan) -> None:
        self._span = span
        context = span.get_span_context()
        self.trace = Trace(
            format_trace_id(context.trace_id),
            format_span_id(context.span_id),
            sampled=context.trace_flags.sampled,
            state=context.trace_state.to_header(),
        )

    def put(self, name: str, value: str | float) -> None:
        self._span.set_attribute(name, value)

    def fail(self, kind: str) -> None:
        self._span.set_attribute("error.type", kind)
        self._span.set_status(Status(StatusCode.ERROR))

    def end(self) -> None:
        self._span.end()


class _Exporter(OTLPSpanExporter):
    def __init__(self, settings: TelemetrySettings, exported: Exported) -> None:
        headers = settings.otel_exporter_otlp_headers
        pairs = (pair.partition("=") for pair in headers.get_secret_value().split(",")) if headers is not None else ()
        super().__init__(
            endpoint=f"{settings.otel_exporter_otlp_endpoint}/v1/traces",
            headers={name.strip(): value.strip() for name, _, value in pairs} or None,
        )
        self._exported = exported

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        self._exported(len(spans), result is SpanExportResult.SUCCESS)
        return result


def _context(trace: Trace | None) -> Context:
    """Of its own, never the current one."""
    return TraceContextTextMapPropagator().extract(trace.headers if trace is not None else {}, Context())
