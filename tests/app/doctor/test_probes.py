"""What a client sends without the OAuth part, to real servers."""

from typing import Any

import pytest

from app.doctor.gateway_client import gateway_client
from app.doctor.observations import Called
from app.doctor.probes import INITIALIZE, call_tool, harmless_tool, message, send
from app.doctor.profiles import ERAS, LEGACY, MODERN
from tests.loopback import reply, serving

SECONDS = 20.0
READING = {"name": "count", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


async def called(url: str, era: str, credential: str) -> Called:
    async with gateway_client(url, SECONDS) as client:
        return await call_tool(client, url, era, credential)


def test_each_era_has_its_own_envelope() -> None:
    modern, called = message(MODERN, "tools/call", {"name": "count", "arguments": {}})
    legacy, listed = message(LEGACY, "tools/list")
    _, notification = message(LEGACY, "notifications/initialized")

    assert (modern["mcp-method"], modern["mcp-name"]) == ("tools/call", "count")
    assert called["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
    assert "mcp-method" not in legacy
    assert "_meta" not in listed["params"]
    assert "id" not in notification


async def test_a_stream_that_stays_open_is_left_after_the_answer() -> None:
    event = b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    stream = reply("200 OK", event + b" " * 10, Content_Type="text/event-stream").replace(b"Length: 56", b"Length: 999")
    async with serving({"/mcp": stream}) as there, gateway_client(f"{there.origin}/mcp", SECONDS) as client:
        found = await send(client, f"{there.origin}/mcp", LEGACY, "initialize", INITIALIZE)

    assert (found.fault, found.rpc_result) == (None, {})


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_that_only_reads_is_called(gateways: str, era: str) -> None:
    found = await called(f"{gateways}/healthy/mcp", era, "key-of-healthy")

    assert found.tool == "count"
    assert found.call is not None
    assert found.call.rpc_result is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"annotations": {}},
        {"annotations": {"readOnlyHint": "true"}},
        {"inputSchema": {"required": ["id"]}},
        {"name": "two\r\nlines"},
        {"name": 5},
    ],
)
def test_only_a_tool_that_reads_and_asks_nothing_is_called(changed: dict[str, Any]) -> None:
    assert harmless_tool({"tools": [READING | changed]}) is None
    assert harmless_tool({"tools": ["odd", READING | changed, READING]}) == "count"
