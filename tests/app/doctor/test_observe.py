"""What a client asks before it knows anybody, of real servers."""

from app.doctor import messages
from app.doctor.door import open_door
from app.doctor.exchanges import Fault
from app.doctor.observe import discover, look_as_a_page, look_at_endpoint, say
from app.doctor.requests import BROWSER
from tests.loopback import reply, serving
from tests.processes import free_port

SECONDS = 20.0


async def test_both_documents_are_found_from_the_address_alone(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"
    async with open_door(url, SECONDS) as door:
        endpoint = await look_at_endpoint(door, url)
        found = await discover(door, url, endpoint)

    assert (endpoint.get.status, endpoint.discover.status, endpoint.forged.status) == (405, 401, 401)
    assert found.resource_metadata is not None
    assert found.server_metadata is not None
    assert (found.resource_metadata.resource, found.issuer) == (url, f"{gateways}/healthy")
    assert found.server_metadata.issuer == found.issuer
    assert found.jwks is not None
    assert found.jwks.status == 200


async def test_an_issuer_on_a_private_address_is_not_asked(gateways: str) -> None:
    url = f"{gateways}/private-server/mcp"
    async with open_door(url, SECONDS) as door:
        found = await discover(door, url, await look_at_endpoint(door, url))

    assert {one.fault for one in found.server} == {Fault.UNSAFE}


async def test_a_closed_port_is_asked_once() -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"
    async with open_door(url, SECONDS) as door:
        found = await look_at_endpoint(door, url)

    assert found.get is found.initialize
    assert found.get.fault is Fault.UNREACHABLE


async def test_a_page_asks_with_its_origin(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"
    async with open_door(url, SECONDS) as door:
        found = await look_as_a_page(door, url, await discover(door, url, await look_at_endpoint(door, url)))

    assert found["MCP endpoint"].status == 204
    assert found["resource metadata, read"].header("access-control-allow-origin") in {"*", BROWSER}
    assert "token endpoint" in found


async def test_a_stream_that_stays_open_is_left_after_the_answer() -> None:
    event = b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    stream = reply("200 OK", event + b" " * 10, Content_Type="text/event-stream").replace(b"Length: 56", b"Length: 999")
    async with serving({"/mcp": stream}) as there, open_door(f"{there.origin}/mcp", SECONDS) as door:
        found = await say(door, f"{there.origin}/mcp", messages.initialize())

    assert (found.fault, messages.result(found.body, found.media_type)) == (None, {})
