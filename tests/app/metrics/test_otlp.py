"""Spans as a collector gets them: a real one's protocol, over loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SentSpan
from opentelemetry.sdk.trace.sampling import Sampler
from prometheus_client import generate_latest

from app.composition import Parts
from app.metrics.metrics import Metrics
from app.metrics.otlp import OtlpTracer, sampler_of
from app.settings.operations import TelemetrySettings
from mcp_server.observability.tracing import Trace
from tests.edge import Stage, running, settings_for, toolset

PARENT = Trace("a" * 32, "b" * 16, sampled=True, state="x=1")
UNSAMPLED = Trace("a" * 32, "b" * 16)


@dataclass
class Collector:
    """What was sent, and with which headers."""

    url: str
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    status: int = 200

    @property
    def spans(self) -> list[SentSpan]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def collecting(status: int = 200) -> Iterator[Collector]:
    """A collector on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            collector.paths.append(self.path)
            collector.headers.append({name.lower(): value for name, value in self.headers.items()})
            collector.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(collector.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_port}", status=status)
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def settings(collector: Collector, **more: object) -> TelemetrySettings:
    return settings_for(Path("var"), otel_exporter_otlp_endpoint=collector.url, **more)


def made(collector: Collector, parent: Trace | None, metrics: Metrics, **more: object) -> Trace:
    tracer = OtlpTracer(settings(collector, **more), metrics.exported)
    span = tracer.start("tools/call say", "server", {"mcp.method.name": "tools/call"}, parent, [PARENT])
    span.put("count", 3)
    span.fail("tool_error")
    span.end()
    tracer.close()
    return span.trace


def test_a_span_arrives_with_its_parent_its_attributes_and_its_service() -> None:
    metrics = Metrics()
    with collecting() as collector:
        trace = made(collector, PARENT, metrics, otel_exporter_otlp_headers="authorization=Bearer x,tenant=a")

    (span,) = collector.spans
    about = {attribute.key: attribute.value.string_value for attribute in span.attributes}
    (resource,) = [each for request in collector.requests for each in request.resource_spans]
    service = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
    assert collector.paths == ["/v1/traces"]
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (PARENT.trace_id, PARENT.span_id)
    assert (trace.trace_id, trace.span_id, trace.state) == (PARENT.trace_id, span.span_id.hex(), "x=1")
    assert (span.name, span.kind, span.status.code) == ("tools/call say", SentSpan.SPAN_KIND_SERVER, 2)
    assert (about["mcp.method.name"], about["error.type"]) == ("tools/call", "tool_error")
    assert [link.span_id.hex() for link in span.links] == [PARENT.span_id]
    assert service["service.name"] == "minds-gateway"
    assert (collector.headers[0]["authorization"], collector.headers[0]["tenant"]) == ("Bearer x", "a")
    assert 'trace_spans_exported_total{outcome="success"} 1.0' in generate_latest(metrics.families.shown()).decode()


def test_what_a_collector_refuses_is_counted_and_hurts_nobody() -> None:
    metrics = Metrics()
    with collecting(status=400) as collector:
        made(collector, None, metrics)

    assert 'trace_spans_exported_total{outcome="failure"} 1.0' in generate_latest(metrics.families.shown()).decode()


def test_a_caller_decides_whether_a_trace_is_kept_and_where_none_does_the_share() -> None:
    with collecting() as collector:
        unsampled = made(collector, UNSAMPLED, Metrics())
        none = made(collector, None, Metrics(), otel_traces_sampler_arg=0.0)

    assert collector.spans == []
    assert (unsampled.trace_id, unsampled.sampled, none.sampled) == (UNSAMPLED.trace_id, False, False)


@pytest.mark.parametrize(
    "name", [f"{of}{root}" for of in ("", "parentbased_") for root in ("always_on", "always_off", "traceidratio")]
)
def test_every_sampler_of_the_specification_is_one(name: str) -> None:
    assert isinstance(sampler_of(name, 0.5), Sampler)
    assert name.startswith("parentbased") == sampler_of(name, 0.5).get_description().startswith("ParentBased")


async def test_a_whole_call_is_one_trace_and_holds_neither_query_nor_key(tmp_path: Path) -> None:
    with collecting() as collector:
        configured = settings_for(tmp_path, otel_exporter_otlp_endpoint=collector.url)
        async with running(configured, Parts(toolsets=[toolset(Stage())])) as edge:
            await edge.call("say", key=edge.key, headers={"traceparent": PARENT.headers["traceparent"]})
            await edge.client.get("/oauth/callback?code=hunter2&state=hunter2")
            key = edge.key

    names = [span.name for span in collector.spans]
    assert {"POST mcp", "tools/call say", "GET oauth"} <= set(names)
    assert {span.trace_id.hex() for span in collector.spans if span.name != "GET oauth"} == {PARENT.trace_id}
    assert "hunter2" not in str(collector.requests)
    assert key not in str(collector.requests)
