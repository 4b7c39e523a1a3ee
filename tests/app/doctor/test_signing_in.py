"""Whole sign-ins through a browser, and what follows them."""

import asyncio
import socket

import pytest

from app.doctor.door import open_door
from app.doctor.observe import discover, look_at_endpoint
from app.doctor.observed import Called, Grant
from app.doctor.playing import Player
from app.doctor.signing_in import KnownClient, SignIn
from tests.app.doctor.conftest import say_yes
from tests.app.doctor.examples import profile
from tests.app.doctor.test_requests import server

SECONDS, PATIENCE = 20.0, 60.0


async def signed_in(
    url: str, hidden: set[str], *, patience: float = PATIENCE, known: KnownClient | None = None
) -> tuple[Grant, tuple[Called, ...]]:
    browsing: list[asyncio.Task[None]] = []

    def browse(address: str) -> None:
        if patience == PATIENCE:
            browsing.append(asyncio.create_task(asyncio.to_thread(say_yes, address)))

    async with open_door(url, SECONDS) as door:
        endpoint = await look_at_endpoint(door, url)
        discovery = await discover(door, url, endpoint)
        assert discovery.server_metadata is not None
        player = Player(door, endpoint, discovery, registers=True)
        done = await SignIn(door, player, url, discovery.server_metadata, hidden).run(
            profile("mcp-remote"), browse, patience, known
        )
    await asyncio.gather(*browsing)
    return done


@pytest.mark.requirement("seed:gateway:oauth-by-inspector")
async def test_a_grant_lives_is_used_and_ends(gateways: str) -> None:
    hidden: set[str] = set()

    grant, called = await signed_in(f"{gateways}/healthy/mcp", hidden)

    assert grant.token is not None
    assert grant.token.document is not None
    assert {grant.token.document["access_token"], grant.token.document["refresh_token"]} <= hidden
    assert grant.callback["code"] in hidden
    assert [one.call is not None for one in called] == [True, True]
    statuses = [
        one.status if one else None
        for one in (
            grant.refresh,
            grant.after_refresh,
            grant.revoke,
            grant.refresh_after,
            grant.call_after,
            grant.code_again,
        )
    ]
    assert statuses == [200, 200, 200, 400, 401, 400]


async def test_a_client_that_the_operator_set_up_signs_in_where_nobody_registers(gateways: str) -> None:
    hidden, known = set[str](), KnownClient("desk", "its-secret")

    grant, called = await signed_in(f"{gateways}/no-registration/mcp", hidden, known=known)

    assert "its-secret" in hidden
    assert "its-secret" not in repr((known, grant))
    assert grant.refresh is not None
    assert grant.refresh.status == 200
    assert [one.call is not None for one in called] == [True, True]


async def test_without_one_it_says_which_option_names_it(gateways: str) -> None:
    grant, _ = await signed_in(f"{gateways}/no-registration/mcp", set())

    assert "--client-id" in grant.gave_up


async def test_a_port_that_is_taken_is_said(gateways: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        known = KnownClient("desk", "its-secret", taken.getsockname()[1])
        grant, _ = await signed_in(f"{gateways}/no-registration/mcp", set(), known=known)

    assert "nothing can listen" in grant.gave_up


@pytest.mark.parametrize(("methods", "header"), [((), True), (("client_secret_post",), False)])
def test_a_secret_is_shown_as_the_server_takes_it(methods: tuple[str, ...], header: bool) -> None:
    metadata = server(token_endpoint_auth_methods_supported=list(methods))

    headers, body = KnownClient("desk", "s").proof(metadata).applied({})

    assert ("authorization" in headers) is header
    assert (b"client_secret=s" in body) is not header


async def test_no_secret_is_in_the_representation_of_what_came_of_it(gateways: str) -> None:
    hidden: set[str] = set()

    grant, called = await signed_in(f"{gateways}/healthy/mcp", hidden)

    assert [secret for secret in hidden if secret and secret in repr((grant, called))] == []


async def test_what_survives_the_revocation_is_seen(gateways: str) -> None:
    grant, _ = await signed_in(f"{gateways}/survivors/mcp", set())

    assert grant.call_after is not None
    assert grant.call_after.status == 200


@pytest.mark.parametrize("fault", ["mixed-up", "denied"])
async def test_a_code_of_another_issuer_or_none_goes_nowhere(gateways: str, fault: str) -> None:
    grant, called = await signed_in(f"{gateways}/{fault}/mcp", set())

    assert (grant.token, called) == (None, ())


async def test_nobody_in_the_browser_ends_the_wait(gateways: str) -> None:
    grant, _ = await signed_in(f"{gateways}/healthy/mcp", set(), patience=0.05)

    assert grant.gave_up != ""


async def test_a_refused_loopback_redirect_ends_it_before_the_browser(gateways: str) -> None:
    grant, _ = await signed_in(f"{gateways}/no-loopback/mcp", set())

    assert grant.gave_up != ""


async def test_the_sdk_s_own_server_is_signed_in_to(sdk_gateway: str) -> None:
    grant, called = await signed_in(sdk_gateway, set())

    assert grant.refresh is not None
    assert grant.refresh.status == 200
    assert all(one.call is not None for one in called)
