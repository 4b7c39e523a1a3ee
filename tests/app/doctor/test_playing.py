"""One client up to the sign-in page."""

from dataclasses import replace

from app.doctor.door import open_door
from app.doctor.observe import discover, look_at_endpoint
from app.doctor.observed import Played
from app.doctor.playing import Player
from tests.app.doctor.examples import profile

SECONDS = 20.0


async def played(url: str, name: str, *, registers: bool = True) -> Played:
    async with open_door(url, SECONDS) as door:
        endpoint = await look_at_endpoint(door, url)
        player = Player(door, endpoint, await discover(door, url, endpoint), registers=registers)
        return await player.play(profile(name))


async def test_a_client_registers_asks_and_is_forgotten(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"

    found = await played(url, "mcp-remote")

    assert found.client_id != ""
    assert found.registration is not None
    assert {name: one.status for name, one in found.authorize.items()} == {
        "unknown client": 400,
        "good": 200,
        "foreign redirect": 400,
        "no PKCE": 303,
        "plain PKCE": 303,
    }
    # Deleted afterwards (RFC 7592): the very same request now comes from an unknown client.
    async with open_door(url, SECONDS) as door:
        assert (await door.ask("GET", found.authorize["good"].url)).status == 400


async def test_without_registering_only_the_unknown_client_asks(gateways: str) -> None:
    found = await played(f"{gateways}/healthy/mcp", "mcp-remote", registers=False)

    assert (found.registration, set(found.authorize)) == (None, {"unknown client"})


async def test_a_document_takes_the_place_of_a_registration(gateways: str) -> None:
    found = await played(f"{gateways}/healthy/mcp", "chatgpt")

    assert (found.client_id, found.registration) == (profile("chatgpt").document, None)
    assert found.authorize["good"].status == 200


async def test_nothing_more_is_asked_of_a_gateway_that_cannot_fetch_the_document(gateways: str) -> None:
    found = await played(f"{gateways}/no-fetch/mcp", "claude-code")

    assert {name: one.status for name, one in found.authorize.items()} == {"unknown client": 400, "good": 503}
    assert found.document_unread


async def test_without_server_metadata_nothing_is_asked_there(gateways: str) -> None:
    found = await played(f"{gateways}/open/mcp", "claude")

    assert found == replace(Played(), with_origin=found.with_origin)
    assert found.with_origin is not None


async def test_a_management_token_goes_to_its_own_server_only(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"
    async with open_door(url, SECONDS) as door:
        endpoint = await look_at_endpoint(door, url)
        discovery = await discover(door, url, endpoint)
        player = Player(door, endpoint, discovery, registers=True)
        assert discovery.server_metadata is not None
        made = await player.register(profile("mcp-remote"), discovery.server_metadata)

        await player.forget(replace(made, url="https://elsewhere.example/register"))

        again = await player.register(profile("mcp-remote"), discovery.server_metadata)
    assert again.status == 201
