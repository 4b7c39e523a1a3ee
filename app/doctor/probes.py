"""What a client sends without the OAuth part: the endpoint, the documents, a page's preflights, and calls of tools."""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from app.doctor import addresses
from app.doctor.addresses import PROTECTED_RESOURCE
from app.doctor.exchanges import EVENT_STREAM, Exchange, Fault, rpc_response
from app.doctor.gateway_client import LONGEST_MESSAGE, GatewayClient
from app.doctor.observations import NO_DOCUMENT, Called, Discovery, Endpoint
from app.doctor.profiles import INSPECTOR_ORIGIN, LEGACY, MCP_HEADERS, MODERN

CLIENT_INFO = {"name": "minds-gateway-doctor", "version": "1"}
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT_INFO}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
}
FORGED_TOKEN = "minds-gateway-doctor-not-a-token"  # noqa: S105 - the token that nobody issued
LONGEST_SESSION = 512
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def message(era: str, method: str, params: dict[str, Any] | None = None) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers and body of a JSON-RPC message of `era` (2026-07-28: transports, `_meta` on each request)."""
    headers = {"accept": f"application/json, {EVENT_STREAM}", "content-type": "application/json"}
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if not method.startswith("notifications/"):
        body |= {"id": 1, "params": params or {}}
    if method != "initialize":
        headers["mcp-protocol-version"] = era
    if era == MODERN:
        headers["mcp-method"] = method
        body["params"] = {**body["params"], "_meta": META}
        if "name" in body["params"]:
            headers["mcp-name"] = body["params"]["name"]
    return headers, body


async def send(
    client: GatewayClient,
    url: str,
    era: str,
    method: str,
    params: dict[str, Any] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Exchange:
    """POST a message; of an event stream, everything up to the response is read."""
    needed, body = message(era, method, params)
    return await client.request(
        "POST",
        url,
        {**needed, **(headers or {})},
        json.dumps(body).encode(),
        longest=LONGEST_MESSAGE,
        enough=lambda body, kind: kind == EVENT_STREAM and rpc_response(body, kind) is not None,
    )


async def probe_endpoint(client: GatewayClient, url: str) -> Endpoint:
    """GET, and POST in both eras without a credential, then with one that nobody issued."""
    # A stream of the 2025 era stays open; that it began is all there is to see.
    accept = {"accept": EVENT_STREAM}
    get = await client.request("GET", url, accept, enough=lambda _body, kind: kind == EVENT_STREAM)
    if get.fault in {Fault.UNREACHABLE, Fault.TLS}:
        return Endpoint(get, get, get, get)
    return Endpoint(
        get,
        await send(client, url, MODERN, "server/discover"),
        await send(client, url, LEGACY, "initialize", INITIALIZE),
        await send(client, url, LEGACY, "tools/list", headers=bearer(FORGED_TOKEN)),
    )


async def meant_endpoint(client: GatewayClient, url: str, endpoint: Endpoint) -> str:
    """Where MCP endpoints usually are, if one is there and `url` is a page, or nothing at all; else empty."""
    usual, answer = f"{addresses.origin(url)}/mcp", endpoint.initialize
    is_page = answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED} or answer.media_type == "text/html"
    if url == usual or not is_page or endpoint.discover.speaks_mcp:
        return ""
    return usual if (await send(client, usual, LEGACY, "initialize", INITIALIZE)).speaks_mcp else ""


async def discover(client: GatewayClient, url: str, endpoint: Endpoint) -> Discovery:
    """Both documents, at every address where some client looks for them."""
    places = {
        "challenge": endpoint.parameters.get("resource_metadata", ""),
        "path": addresses.inserted(url, PROTECTED_RESOURCE),
        "root": addresses.inserted(addresses.origin(url), PROTECTED_RESOURCE),
    }
    resource = {place: await client.read(where) for place, where in places.items() if where}
    issuers = Discovery(url, resource).resource_metadata.texts("authorization_servers")
    # Without a document, clients of 2025-03-26 take the gateway's own origin for the issuer.
    issuer = issuers[0] if issuers else addresses.origin(url)
    server = tuple([await client.read(where) for where in addresses.server_documents(issuer)])
    keys = Discovery(url, resource, issuer, server).server_metadata.text("jwks_uri")
    return Discovery(url, resource, issuer, server, await client.read(keys) if keys else NO_DOCUMENT)


async def preflight(client: GatewayClient, url: str, discovery: Discovery) -> dict[str, Exchange]:
    """What a browser asks on behalf of a page: preflights, and the documents with the page's origin."""
    server, resource = discovery.server_metadata, discovery.resource_metadata
    targets = {
        "MCP endpoint": (url, "POST", MCP_HEADERS),
        "resource metadata": (resource.url, "GET", "mcp-protocol-version"),
        "server metadata": (server.url, "GET", "mcp-protocol-version"),
        "registration endpoint": (server.text("registration_endpoint"), "POST", "content-type"),
        "token endpoint": (server.text("token_endpoint"), "POST", "content-type"),
    }
    found = {}
    for name, (where, method, headers) in targets.items():
        if not where:
            continue
        asked = {"access-control-request-method": method, "access-control-request-headers": headers}
        found[name] = await client.request("OPTIONS", where, {"origin": INSPECTOR_ORIGIN, **asked})
        if method == "GET":
            found[f"{name} (read)"] = await client.request("GET", where, {"origin": INSPECTOR_ORIGIN})
    return found


async def call_tool(client: GatewayClient, url: str, era: str, credential: str) -> Called:
    """From the first message to the answer of a tool that only reads; it stops where a client would.

    The credential goes to the typed address and nowhere else.
    """
    headers = bearer(credential) if credential else {}
    method, params = ("server/discover", None) if era == MODERN else ("initialize", INITIALIZE)
    start = await send(client, url, era, method, params, headers=headers)
    if start.rpc_result is None:
        return Called(era, start)
    if era == LEGACY:
        headers |= _session(start)
        await send(client, url, LEGACY, "notifications/initialized", headers=headers)
    listed = await send(client, url, era, "tools/list", headers=headers)
    tool = harmless_tool(listed.rpc_result)
    if tool is None:
        return Called(era, start, listed)
    call = {"name": tool, "arguments": {}}
    return Called(era, start, listed, tool, await send(client, url, era, "tools/call", call, headers=headers))


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


def harmless_tool(listed: dict[str, Any] | None) -> str | None:
    """A tool that says it only reads and that needs no argument: the only kind that is called unasked."""
    tools = (listed or {}).get("tools")
    for tool in filter(lambda one: isinstance(one, dict), tools if isinstance(tools, list) else []):
        hints, schema, name = tool.get("annotations"), tool.get("inputSchema"), tool.get("name")
        only_reads = isinstance(hints, dict) and hints.get("readOnlyHint") is True
        needs_nothing = isinstance(schema, dict) and not schema.get("required")
        # The name travels in a header (2026-07-28, tools), so it must be nothing but a name.
        if only_reads and needs_nothing and isinstance(name, str) and _TOOL_NAME.fullmatch(name):
            return name
    return None


def _session(start: Exchange) -> dict[str, str]:
    """The session that a 2025-era server may open; a client has to repeat it."""
    session = start.header("mcp-session-id")
    is_usable = 0 < len(session) <= LONGEST_SESSION and session.isascii() and session.isprintable()
    return {"mcp-session-id": session} if is_usable else {}
