"""Messages to `/mcp` that follow its grammar here and there: no fault, no hang, no trace."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolset import discover
from tests.edge import BOTH_TYPES
from tests.fuzz.grammar import atoms, encoded, following, header_texts, mutated, texts, values
from tests.fuzz.sizes import bounded
from tests.fuzz.world import World, sound

TOOLS = {tool.name: tool for toolset in discover() for tool in toolset.tools}
METHODS = [
    "initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get",
    "completion/complete", "logging/setLevel", "sampling/createMessage", "roots/list", "elicitation/create",
    "tasks/get", "tasks/list", "tasks/cancel", "tasks/result", "subscriptions/listen", "notifications/initialized",
    "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "notifications/message",
]  # fmt: skip
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", "9999-99-99"]
PREFIX = "io.modelcontextprotocol/"

versions = st.sampled_from(VERSIONS) | texts
meta = st.fixed_dictionaries(
    {},
    optional={
        "progressToken": atoms,
        f"{PREFIX}protocolVersion": versions | values,
        f"{PREFIX}clientCapabilities": st.just({}) | values,
        f"{PREFIX}clientInfo": st.just({"name": "fuzz", "version": "1"}) | values,
        f"{PREFIX}logLevel": texts,
        "traceparent": texts | st.just("00-" + "a" * 32 + "-" + "b" * 16 + "-01"),
    },
)
params = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(sorted(TOOLS)) | values,
        "arguments": values,
        "cursor": values,
        "uri": texts | values,
        "protocolVersion": versions | values,
        "capabilities": st.just({}) | values,
        "clientInfo": st.just({"name": "fuzz", "version": "1"}) | values,
        "level": texts,
        "ref": values,
        "argument": values,
        "requestId": atoms,
        "inputResponses": values,
        "requestState": values,
        "_meta": meta | values,
    },
)


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments that mostly have the shape which the tool's own schema asks for."""
    name = draw(st.sampled_from(sorted(TOOLS)))
    arguments = draw(following(TOOLS[name].definition.input_schema))
    return {"name": name, "arguments": arguments, "_meta": draw(meta)}


messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | st.sampled_from(["2.0"]) | atoms, "method": st.sampled_from(METHODS) | atoms},
    optional={"id": st.integers() | atoms, "params": params | values, "result": values, "error": values},
)
tool_calls = st.builds(
    lambda identity, params: {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params},
    st.integers(0, 9) | texts,
    calls(),
)
bodies = mutated(st.one_of(messages, tool_calls, values).map(encoded)) | st.binary(max_size=200)


@st.composite
def headings(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Headers of either era, of both, and of neither."""
    optional = {
        "mcp-protocol-version": st.sampled_from(VERSIONS) | header_texts,
        "mcp-method": st.sampled_from(METHODS) | header_texts,
        "mcp-name": st.sampled_from(sorted(TOOLS)) | header_texts,
        "mcp-session-id": header_texts,
        "last-event-id": header_texts,
        "accept": st.just(BOTH_TYPES)
        | st.sampled_from(["*/*", "text/event-stream", "application/json"])
        | header_texts,
        "x-request-id": header_texts,
        "traceparent": header_texts,
        "user-agent": st.just("openai-mcp/1.0.0") | header_texts,
        "x-forwarded-for": header_texts,
        "cookie": header_texts,
        "range": header_texts,
        "accept-language": header_texts,
    }
    return list(draw(st.fixed_dictionaries({}, optional=optional)).items())


credentials = st.sampled_from(["key", "key", "key", "none", "odd"])


@pytest.mark.security("JR-29")
@bounded()
@given(body=bodies, headers=headings(), credential=credentials, content_type=st.integers(0, 20), odd=header_texts)
async def test_no_message_is_a_fault_a_hang_or_a_trace(
    world: World, body: bytes, headers: list[tuple[str, str]], credential: str, content_type: int, odd: str
) -> None:
    sent = [*headers, ("content-type", odd if content_type == 0 else "application/json")]
    if credential != "none":
        sent.append(("authorization", f"Bearer {world.key}" if credential == "key" else odd))

    response = await world.answer(
        "POST", "/mcp", headers=[(name.encode(), value.encode("latin-1")) for name, value in sent], content=body
    )

    sound(response, {"body": body, "headers": headers})


@pytest.mark.security("JR-19", "JR-29")
@bounded()
@given(params=calls(), version=st.sampled_from(VERSIONS[1:5]))
async def test_no_arguments_of_a_tool_are_a_fault_a_hang_or_a_trace(
    world: World, params: dict[str, Any], version: str
) -> None:
    body = encoded({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "content-type": "application/json",
        "accept": BOTH_TYPES,
        "authorization": f"Bearer {world.key}",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": params["name"],
    }

    response = await world.answer("POST", "/mcp", headers=headers, content=body)

    sound(response, {"params": params, "version": version})
