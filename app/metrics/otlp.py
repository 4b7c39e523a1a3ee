"""Spans by OpenTelemetry's SDK, to a collector. Loaded by `tracing.py` where one is configured, and nowhere else.

Neither the SDK's global provider nor its context is used: other libraries' spans, which may hold anything, go nowhere.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace import Span as SdkSpan

from app.settings.telemetry import TelemetrySettings
from mcp_server.observability.tracing import Attributes, Kind, Span, Trace

Exported = Callable[[int, bool], None]
"""Called with how many spans were sent, and whether the collector has them."""

KINDS: dict[Kind, SpanKind] = {"server": SpanKind.SERVER, "client": SpanKind.CLIENT}


def to_collector(settings: TelemetrySettings, exported: Exported) -> "OtlpTracer":
    """A tracer that sends to the collector of `settings`, in the background and in batches."""
    headers = settings.otel_exporter_otlp_headers
    pairs = (pair.partition("=") for pair in headers.get_secret_value().split(",")) if headers is not None else ()
    exporter = OTLPSpanExporter(
        endpoint=f"{settings.otel_exporter_otlp_endpoint}/v1/traces",
        headers={name.strip(): value.strip() for name, _, value in pairs} or None,
    )
    return OtlpTracer(settings, exporter, exported)


class OtlpTracer:
    """Makes spans that go to `exporter`."""

    def __init__(self, settings: TelemetrySettings, exporter: SpanExporter, exported: Exported) -> None:
        about = {"service.name": settings.otel_service_name, "service.version": version("minds-gateway")}
        sampler = sampler_of(settings.otel_traces_sampler, settings.otel_traces_sampler_arg)
        self._provider = TracerProvider(resource=Resource.create(about), sampler=sampler, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_Counted(exporter, exported)))
        self._tracer = self._provider.get_tracer("minds-gateway", version("minds-gateway"))

    def start(
        self, name: str, kind: Kind, attributes: Attributes, parent: Trace | None, links: Sequence[Trace] = ()
    ) -> Span:
        """A span that begins now, below `parent`."""
        around = Context() if parent is None else set_span_in_context(NonRecordingSpan(_context(parent)), Context())
        linked = [Link(_context(link)) for link in links]
        return _OtlpSpan(self._tracer.start_span(name, around, KINDS[kind], dict(attributes), linked))

    def close(self) -> None:
        """Send what is left, and stop."""
        self._provider.shutdown()


def sampler_of(name: str, share: float) -> Sampler:
    """The sampler that OpenTelemetry's specification gives that name."""
    roots: dict[str, Sampler] = {
        "always_on": ALWAYS_ON,
        "always_off": ALWAYS_OFF,
        "traceidratio": TraceIdRatioBased(share),
    }
    root = roots[name.removeprefix("parentbased_")]
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


class _Counted(SpanExporter):
    def __init__(self, inner: SpanExporter, exported: Exported) -> None:
        self._inner, self._exported = inner, exported

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._inner.export(spans)
        self._exported(len(spans), result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)


def _context(trace: Trace) -> SpanContext:
    return SpanContext(
        int(trace.trace_id, 16),
        int(trace.span_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED if trace.sampled else TraceFlags.DEFAULT),
        trace_state=TraceState.from_header([trace.state]) if trace.state else None,
    )
