"""One span for each message, named by this program's words, and nothing of the caller's in it."""

from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace as opentelemetry_trace

from app.composition import Composition, Parts
from mcp_server.message_spans import OTHER
from tests.edge import ERAS, Edge, Stage, running, settings_for, toolset
from tests.spans import KeepingTracer

PARENT = f"00-{'a' * 32}-{'b' * 16}-01"
OWN = f"00-{'c' * 32}-{'d' * 16}-01"


async def called(tmp_path: Path, *calls: tuple[str, dict[str, Any]], era: str, **headers: str) -> KeepingTracer:
    """The spans of these messages."""
    tracer = KeepingTracer()
    parts = Parts(toolsets=[toolset(Stage())], tracer=tracer)
    async with running(settings_for(tmp_path), parts) as edge:
        for method, params in calls:
            await edge.rpc(method, params, era=era, headers=headers)
    return tracer


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_call_has_the_names_of_the_conventions_and_stands_below_its_request(
    tmp_path: Path, era: str
) -> None:
    tracer = await called(tmp_path, ("tools/call", {"name": "say", "arguments": {}}), era=era, traceparent=PARENT)

    request, message = tracer.named("POST mcp"), tracer.named("tools/call say")
    assert request.parent is not None
    assert (request.parent.trace_id, message.parent) == ("a" * 32, request.trace)
    assert message.about == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": era,
        "network.transport": "tcp",
        "jsonrpc.request.id": "1",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "say",
    }
    assert [span.ends for span in tracer.spans] == [1, 1]
    assert (message.fault, request.about["http.response.status_code"]) == (None, 200)


@pytest.mark.parametrize("era", ERAS)
async def test_a_trace_of_the_messages_own_is_nearer_and_is_linked_to_its_request(tmp_path: Path, era: str) -> None:
    params = {"name": "say", "arguments": {}, "_meta": {"traceparent": OWN, "baggage": "user=somebody"}}

    tracer = await called(tmp_path, ("tools/call", params), era=era, traceparent=PARENT)

    message = tracer.named("tools/call say")
    assert message.parent is not None
    assert message.parent.trace_id == "c" * 32
    assert list(message.links) == [tracer.named("POST mcp").trace]
    assert "somebody" not in str(tracer.spans)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "fault"),
    [("fail", "tool_error"), ("crash", "-32603"), ("private", None), ("nobody-s-tool", None), ("hurry", None)],
)
async def test_a_fault_is_told_by_a_stable_word_and_nothing_of_its_text(
    tmp_path: Path, era: str, tool: str, fault: str | None
) -> None:
    tracer = await called(tmp_path, ("tools/call", {"name": tool, "arguments": {}}), era=era)

    spans = [span for span in tracer.spans if span.name.startswith("tools/call")]
    assert all(span.fault is not None and span.ends == 1 for span in spans)
    assert fault in {None, *(span.fault for span in spans)}
    assert "the-inside" not in str(tracer.spans)
    assert "nobody-s-tool" not in str(tracer.spans)


async def test_a_method_that_nobody_knows_names_no_span(tmp_path: Path) -> None:
    tracer = await called(tmp_path, ("of-the-caller", {}), era=ERAS[0])

    assert [span.name for span in tracer.spans] == ["POST mcp", OTHER]
    assert "of-the-caller" not in str(tracer.spans)


async def test_a_key_as_an_id_of_a_message_is_not_told(tmp_path: Path) -> None:
    tracer, key = KeepingTracer(), "minds_" + "0" * 48
    async with running(settings_for(tmp_path), Parts(toolsets=[toolset(Stage())], tracer=tracer)) as edge:
        await edge.rpc("ping", identity=key)
        await edge.rpc("ping", headers={"x-request-id": key})

    assert key not in str(tracer.spans)


def test_the_protocol_librarys_own_spans_are_not_made(tmp_path: Path) -> None:
    server = Composition(settings_for(tmp_path), Parts(toolsets=[toolset(Stage())])).server

    assert [type(each).__name__ for each in server.middleware if "OpenTelemetry" in type(each).__name__] == []
    assert type(opentelemetry_trace.get_tracer_provider()).__name__ == "ProxyTracerProvider"


async def test_without_a_tracer_a_message_is_served_as_ever(edge: Edge) -> None:
    response = await edge.rpc("tools/call", {"name": "say", "arguments": {}, "_meta": {"traceparent": OWN}})

    assert response.json()["result"]["structuredContent"] == {"text": "hello"}
