"""Two hosts behind one name, with nothing in common but the database and the secret: a person and an app meet now
the one and now the other, and both are killed in between.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from sqlalchemy import URL

from oauth.grants import DEVICE_CODE
from tests.journeys.clients import PATIENCE
from tests.journeys.host import Host, Server, in_database, kill_all_of, new_host, started
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.person import Page, Person, answer_of
from tests.journeys.sign_in_site import CLIENTS_SETTING, PUBLIC, DocumentServer, SignInSite, new_account
from tests.processes import HOST

SITE = "https://minds.example"
CALLBACK = "http://127.0.0.1:33420/callback"
LIST_TOOL = "list_my_ai_personas"
LONG = "86400"
"""Seconds for which a verified credential is remembered: a day passes in no test, so only a revocation ends it."""
NOTICED, PAUSE = 10.0, 0.02
"""Seconds until each host has noticed what the other ended. It looks twice a second; the rest is for a busy machine."""
SHARED = {
    "SITE_URL": SITE,
    "SECRET_KEY": "5f0d3b9a" * 8,
    "CACHE_TOKEN": LONG,
    "OAUTH_CLIENTS": CLIENTS_SETTING,
    "EMBEDDED_SIGN_IN": "true",
}


class Proxy(httpx2.AsyncHTTPTransport):
    """Ends TLS for the name of the site, and passes each request on to the host that it is turned to."""

    def __init__(self, host: Callable[[], Host]) -> None:
        super().__init__()
        self._host = host

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        assert request.headers["host"] == urlsplit(SITE).netloc
        there = request.url.copy_with(scheme="http", host=HOST, port=self._host().port)
        passed_on = httpx2.Request(
            request.method, there, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await super().handle_async_request(passed_on)


@dataclass
class Site(SignInSite):
    """The site as everybody outside sees it; `host` is the one where everything arrives now."""

    hosts: tuple[Host, Host]
    servers: list[Server] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return SITE

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        """A browser lasts longer than one turn, other clients do not."""
        async with httpx2.AsyncClient(transport=Proxy(lambda: self.host), timeout=PATIENCE) as browser:
            yield Person(browser, await new_account(self.host))

    def connection(self) -> dict[str, Any]:
        host = self.host
        return {"transport": Proxy(lambda: host)}

    def turn(self, place: int) -> None:
        """From now on everything arrives at this host."""
        self.host = self.hosts[place]

    async def start(self, stack: AsyncExitStack) -> None:
        """Both hosts, until the stack is left or they are killed."""
        self.servers[:] = [await stack.enter_async_context(started(host)) for host in self.hosts]

    def kill(self) -> None:
        for server in self.servers:
            kill_all_of(server)


@pytest.fixture(scope="module")
async def site(site_database: URL, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """Both hosts, for all tests; one of these kills them and starts them again."""
    one, two = (new_host(tmp_path_factory.mktemp(name), **SHARED, **in_database(site_database)) for name in "ab")
    made = Site(one, DocumentServer(), (one, two))
    async with AsyncExitStack() as stack:
        await made.start(stack)
        yield made


@pytest.fixture(scope="module")
async def restarted() -> AsyncIterator[AsyncExitStack]:
    """What is started again lasts as long as `site`."""
    async with AsyncExitStack() as stack:
        yield stack


async def desk(site: Site) -> Hosted:
    """A client that the operator set up, and that has read the documents."""
    app = Hosted(site, CALLBACK, "desk/1", client_id=PUBLIC)
    challenge = challenge_of((await app.call(LIST_TOOL)).headers["www-authenticate"])
    await app.discover(challenge["resource_metadata"])
    return app


async def connected(site: Site, person: Person, scope: str = "sparks:read") -> Hosted:
    """The app of somebody; each step at another host than the one before."""
    app = await desk(site)
    site.turn(0)
    address, state, verifier = app.begin(scope)
    login = await person.open(address)
    site.turn(1)
    question = await person.sign_in(login) if "password" in login.form.fields else login
    site.turn(0)
    left = await person.press(question, "allow")
    site.turn(1)
    await app.finish(answer_of(left), state, verifier)
    return app


async def at_both(site: Site, ask: Callable[[], Awaitable[httpx2.Response]]) -> list[int]:
    """The status of the same request at each host."""
    told = []
    for place in (0, 1):
        site.turn(place)
        told.append((await ask()).status_code)
    return told


async def refused_by_both(site: Site, ask: Callable[[], Awaitable[httpx2.Response]]) -> list[int]:
    """The statuses as soon as neither is 200."""
    async with asyncio.timeout(NOTICED):
        while 200 in (told := await at_both(site, ask)):  # noqa: ASYNC110  other processes know when
            await asyncio.sleep(PAUSE)
    return told


@pytest.mark.security("FI-17")
async def test_every_step_may_be_at_another_host_and_what_ends_at_one_ends_at_both(site: Site) -> None:
    async with site.somebody() as person:
        app = await connected(site, person)

        async def call() -> httpx2.Response:
            return await app.call(LIST_TOOL)

        before = await at_both(site, call)
        site.turn(0)
        await app.refresh()
        renewed = await at_both(site, call)
        site.turn(1)
        await app.revoke()
        at_once = (await call()).status_code
        after = await refused_by_both(site, call)

    assert (before, renewed, at_once, after) == ([200, 200], [200, 200], 401, [401, 401])


async def test_what_was_begun_before_both_were_killed_is_finished_after(site: Site, restarted: AsyncExitStack) -> None:
    async with site.somebody() as person:
        kept = await connected(site, person)
        waiting, pending = await desk(site), await desk(site)
        address, *ways = waiting.begin("sparks:read")
        code = await person.allow(address)
        address, *others = pending.begin("flows:read")
        question = await person.open(address)
        device = await begun_device(site)
        keys = await signing_keys(site)
        site.kill()
        await site.start(restarted)
        site.turn(1)
        await waiting.finish(code, *ways)
        await pending.finish(answer_of(await person.press(question, "allow")), *others)
        account = await person.open(f"{SITE}/account")
        await approve(site, person, device)
        token = await redeemed_device(site, device)
        before = await at_both(site, lambda: kept.call(LIST_TOOL))
        site.turn(0)
        await kept.refresh()
        assert await signing_keys(site) == keys

    assert before == [200, 200]
    assert person.email in account.words  # still signed in
    assert (waiting.tokens["scope"], pending.tokens["scope"]) == ("sparks:read", "flows:read")
    assert token["scope"] == "sparks:read"


async def signing_keys(site: Site) -> Any:
    async with site.web() as web:
        return (await web.get("/.well-known/jwks.json")).json()


async def begun_device(site: Site) -> dict[str, Any]:
    async with site.web() as web:
        form = {"client_id": "minds-stdio", "scope": "sparks:read"}
        begun: dict[str, Any] = (await web.post("/oauth/device_authorization", data=form)).json()
    return begun


async def approve(site: Site, person: Person, device: dict[str, Any]) -> Page:
    assert device["verification_uri"].startswith(site.origin)
    return await person.press(await person.open(device["verification_uri_complete"]), "approve")


async def redeemed_device(site: Site, device: dict[str, Any]) -> dict[str, Any]:
    async with site.web() as web:
        form = {"grant_type": DEVICE_CODE, "client_id": "minds-stdio", "device_code": device["device_code"]}
        answer = await web.post("/oauth/token", data=form)
    assert answer.status_code == 200, answer.text
    token: dict[str, Any] = answer.json()
    return token
