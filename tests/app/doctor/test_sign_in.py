"""Whole sign-ins through a browser, and what follows them."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from app.doctor.oauth_probes import Credentials
from app.doctor.observations import Called, Grant
from app.doctor.sign_in import Callback, SignIn
from tests.app.doctor.conftest import say_yes
from tests.app.doctor.examples import answer, profile
from tests.app.doctor.test_oauth_probes import probing

PATIENCE = 60.0


async def signed_in(
    url: str, hidden: set[str], *, patience: float = PATIENCE, known: Credentials | None = None, port: int = 0
) -> tuple[Grant, tuple[Called, ...]]:
    browsing: list[asyncio.Task[None]] = []

    def browse(address: str) -> None:
        if patience == PATIENCE:
            browsing.append(asyncio.create_task(asyncio.to_thread(say_yes, address)))

    async with probing(url) as (client, probes):
        sign_in = SignIn(client, probes, url, hidden)
        done = await sign_in.run(profile("mcp-remote"), browse, patience, known, port)
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
    statuses = {"refresh": 200, "after_refresh": 200, "revoke": 200}
    statuses |= {"refresh_after": 400, "call_after": 401, "code_again": 400}
    assert {step: getattr(grant, step).status for step in statuses} == statuses
    assert [secret for secret in hidden if secret and secret in repr((grant, called))] == []


async def test_a_client_that_the_operator_set_up_signs_in_where_nobody_registers(gateways: str) -> None:
    hidden, known = set[str](), Credentials("desk", "its-secret")

    grant, called = await signed_in(f"{gateways}/no-registration/mcp", hidden, known=known)

    assert "its-secret" in hidden
    assert "its-secret" not in repr((known, grant))
    assert grant.refresh is not None
    assert grant.refresh.status == 200
    assert [one.call is not None for one in called] == [True, True]


async def test_what_ends_it_before_there_is_a_code_is_said(gateways: str) -> None:
    unnamed, _ = await signed_in(f"{gateways}/no-registration/mcp", set())
    refused, _ = await signed_in(f"{gateways}/no-loopback/mcp", set())
    nobody, _ = await signed_in(f"{gateways}/healthy/mcp", set(), patience=0.05)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        known = Credentials("desk", "its-secret")
        busy, _ = await signed_in(f"{gateways}/no-registration/mcp", set(), known=known, port=taken.getsockname()[1])

    assert "--client-id" in unnamed.gave_up
    assert "loopback redirect" in refused.gave_up
    assert "did not come back" in nobody.gave_up
    assert "nothing can listen" in busy.gave_up


@pytest.mark.parametrize(("methods", "header"), [((), True), (("client_secret_post",), False)])
def test_a_secret_is_sent_as_the_server_takes_it(methods: tuple[str, ...], header: bool) -> None:
    server = answer(200, {"token_endpoint_auth_methods_supported": list(methods)})

    headers, body = Credentials("desk", "s").preferred_by(server).applied({})

    assert ("authorization" in headers) is header
    assert (b"client_secret=s" in body) is not header


async def test_what_survives_the_revocation_is_seen(gateways: str) -> None:
    grant, _ = await signed_in(f"{gateways}/survivors/mcp", set())

    assert grant.call_after is not None
    assert grant.call_after.status == 200


@pytest.mark.parametrize("fault", ["mixed-up", "denied"])
async def test_a_code_of_another_issuer_or_none_goes_nowhere(gateways: str, fault: str) -> None:
    grant, called = await signed_in(f"{gateways}/{fault}/mcp", set())

    assert (grant.token, called) == (None, ())


@asynccontextmanager
async def waiting() -> AsyncIterator[tuple[Callback, httpx2.AsyncClient]]:
    callback = Callback("right", socket.create_server(("127.0.0.1", 0)))
    async with callback.listening(), httpx2.AsyncClient(trust_env=False) as browser:
        yield callback, browser


async def test_the_awaited_state_ends_the_wait_and_nothing_else_does() -> None:
    async with waiting() as (callback, browser):
        origin = callback.redirect_uri.removesuffix("/callback")

        turned_away = [
            (await browser.get(f"{origin}{target}")).status_code
            for target in (
                "/favicon.ico",
                "/callback",
                "/callback?code=evil&state=wrong",
                "/callback?code=evil&state=right&state=right",
            )
        ]
        posted = await browser.post(f"{callback.redirect_uri}?code=evil&state=right")
        assert not callback.parameters.done()
        page = await browser.get(f"{callback.redirect_uri}?code=good&state=right")
        again = await browser.get(f"{callback.redirect_uri}?code=late&state=right")

        assert (turned_away, posted.status_code) == ([404, 400, 400, 400], 405)
        assert (page.status_code, page.headers["cache-control"], again.status_code) == (200, "no-store", 200)
        assert await callback.parameters == {"code": "good", "state": "right"}


async def test_a_head_without_end_is_cut_off() -> None:
    async with waiting() as (callback, browser):
        assert (await browser.get(callback.redirect_uri, headers={"x": "x" * 100_000})).status_code == 400
        assert not callback.parameters.done()
