"""Asks what a client asks before it knows anybody: the endpoint, the documents, the preflights."""

from app.doctor import addresses, messages
from app.doctor.addresses import PROTECTED_RESOURCE
from app.doctor.door import LONGEST_MESSAGE, Door
from app.doctor.exchanges import Exchange, Fault
from app.doctor.messages import LEGACY, MODERN, Question
from app.doctor.observed import Discovery, Endpoint
from app.doctor.requests import BROWSER, MCP_HEADERS

NOBODYS = "minds-gateway-doctor-not-a-token"


async def say(door: Door, url: str, question: Question, **headers: str) -> Exchange:
    """POST a message of the protocol; of an event stream, everything up to the answer is read."""
    return await door.ask(
        "POST",
        url,
        {**question.headers, **headers},
        question.content,
        longest=LONGEST_MESSAGE,
        enough=lambda body, kind: kind == "text/event-stream" and messages.answer(body, kind) is not None,
    )


async def look_at_endpoint(door: Door, url: str) -> Endpoint:
    """GET, and POST in both eras without a credential, then with one that nobody issued."""
    get = await door.ask("GET", url, {"accept": "text/event-stream"}, enough=_is_stream)
    if get.fault in {Fault.UNREACHABLE, Fault.TLS}:
        return Endpoint(get, get, get, get)
    return Endpoint(
        get,
        await say(door, url, messages.ask(MODERN, "server/discover")),
        await say(door, url, messages.initialize()),
        await say(door, url, messages.ask(LEGACY, "tools/list"), authorization=f"Bearer {NOBODYS}"),
    )


async def discover(door: Door, url: str, endpoint: Endpoint) -> Discovery:
    """Both documents, at every address where some client looks for them."""
    places = {
        "challenge": endpoint.parameters.get("resource_metadata", ""),
        "path": addresses.inserted(url, PROTECTED_RESOURCE),
        "root": addresses.at_root(url, PROTECTED_RESOURCE),
    }
    resource = {place: await door.read(where) for place, where in places.items() if where}
    found = Discovery(url, resource).resource_metadata
    # Without a document, clients of 2025-03-26 take the gateway's own origin for the issuer.
    issuer = found.authorization_servers[0] if found and found.authorization_servers else addresses.origin(url)
    server = tuple([await door.read(where) for where in addresses.server_documents(issuer)])
    discovery = Discovery(url, resource, issuer, server)
    keys = discovery.server_metadata.jwks_uri if discovery.server_metadata else ""
    return Discovery(url, resource, issuer, server, await door.read(keys) if keys else None)


async def look_as_a_page(door: Door, url: str, discovery: Discovery) -> dict[str, Exchange]:
    """What a browser asks on behalf of a page: preflights, and the documents with the page's origin."""
    server, resource = discovery.server_metadata, discovery.resource_metadata
    targets = {
        "MCP endpoint": (url, "POST", MCP_HEADERS),
        "resource metadata": (resource.found_at if resource else "", "GET", "mcp-protocol-version"),
        "server metadata": (server.found_at if server else "", "GET", "mcp-protocol-version"),
        "registration endpoint": (server.registration_endpoint if server else "", "POST", "content-type"),
        "token endpoint": (server.token_endpoint if server else "", "POST", "content-type"),
    }
    found = {}
    for name, (where, method, headers) in targets.items():
        if not where:
            continue
        asking = {
            "origin": BROWSER,
            "access-control-request-method": method,
            "access-control-request-headers": headers,
        }
        found[name] = await door.ask("OPTIONS", where, asking)
        if method == "GET":
            found[f"{name}, read"] = await door.ask("GET", where, {"origin": BROWSER})
    return found


def _is_stream(_body: bytes, media_type: str) -> bool:
    # The stream of the 2025 era stays open; that it began is all there is to see.
    return media_type == "text/event-stream"
