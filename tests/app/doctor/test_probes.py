"""What a client sends without the OAuth part, to real servers."""

from typing import Any

import pytest

from app.doctor.exchanges import Fault
from app.doctor.gateway_client import gateway_client
from app.doctor.observations import Called, Discovery, Endpoint
from app.doctor.probes import INITIALIZE, call_tool, discover, harmless_tool, message, preflight, probe_endpoint, send
from app.doctor.profiles import ERAS, INSPECTOR_ORIGIN, LEGACY, MODERN
from tests.loopback import reply, serving
from tests.processes import free_port

SECONDS = 20.0
READING = {"name": "count", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


async def discovered(url: str) -> tuple[Endpoint, Discovery]:
    async with gateway_client(url, SECONDS) as client:
        endpoint = await probe_endpoint(client, url)
        return endpoint, await discover(client, url, endpoint)


async def called(url: str, era: str, credential: str) -> Called:
    async with gateway_client(url, SECONDS) as client:
        return await call_tool(client, url, era, credential)


def test_each_era_has_its_own_envelope() -> None:
    modern, called = message(MODERN, "tools/call", {"name": "count", "arguments": {}})
    legacy, listed = message(LEGACY, "tools/list", session="s-1")
    _, notification = message(LEGACY, "notifications/initialized")

    assert (modern["mcp-method"], modern["mcp-name"]) == ("tools/call", "count")
    assert called["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
    assert (legacy["mcp-session-id"], "mcp-method" in legacy) == ("s-1", False)
    assert "_meta" not in listed["params"]
    assert "id" not in notification


async def test_both_documents_are_found_from_the_address_alone(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"

    endpoint, found = await discovered(url)

    assert (endpoint.get.status, endpoint.discover.status, endpoint.forged.status) == (405, 401, 401)
    assert (found.resource_metadata.text("resource"), found.issuer) == (url, f"{gateways}/healthy")
    assert found.server_metadata.text("issuer") == found.issuer
    assert found.jwks is not None
    assert found.jwks.status == 200


async def test_an_issuer_on_a_private_address_is_not_asked(gateways: str) -> None:
    _, found = await discovered(f"{gateways}/private-server/mcp")

    assert {one.fault for one in found.server} == {Fault.UNSAFE}


async def test_a_closed_port_is_asked_once() -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    async with gateway_client(url, SECONDS) as client:
        found = await probe_endpoint(client, url)

    assert found.get is found.initialize
    assert found.get.fault is Fault.UNREACHABLE


async def test_a_page_asks_with_its_origin(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"
    _, discovery = await discovered(url)
    async with gateway_client(url, SECONDS) as client:
        found = await preflight(client, url, discovery)

    assert found["MCP endpoint"].status == 204
    assert found["resource metadata, read"].header("access-control-allow-origin") in {"*", INSPECTOR_ORIGIN}
    assert "token endpoint" in found


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


async def test_a_refused_credential_or_era_ends_the_calls(gateways: str) -> None:
    refused = await called(f"{gateways}/healthy/mcp", MODERN, "wrong")
    modern, legacy = [await called(f"{gateways}/legacy-only/mcp", era, "key-of-legacy-only") for era in ERAS]

    assert [(one.start.status, one.listed) for one in (refused, modern)] == [(401, None), (400, None)]
    assert legacy.call is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"annotations": {}},
        {"annotations": None},
        {"annotations": {"readOnlyHint": "true"}},
        {"inputSchema": {"required": ["id"]}},
        {"inputSchema": None},
        {"name": "two\r\nlines"},
        {"name": ""},
        {"name": 5},
    ],
)
def test_only_a_tool_that_reads_and_asks_nothing_is_called(changed: dict[str, Any]) -> None:
    assert harmless_tool({"tools": [READING | changed]}) is None
    assert harmless_tool({"tools": ["odd", READING | changed, READING]}) == "count"
