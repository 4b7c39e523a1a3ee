"""Each request carries a token that is still good; one refresh token serves all processes, and none loses it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr

from mcp_server.caller import Caller
from mcp_server.errors import ServiceUnavailable
from mcp_server.login.authorization_server import AuthorizationServer, open_client
from mcp_server.login.keeping import Keeper
from mcp_server.login.signed_in import DOUBT_SECONDS, NotSignedIn, SignedIn
from tests.edge import within
from tests.mcp_server.login.file_keyring import FileKeyring
from tests.mcp_server.login.gateway import Gateway, gateway

HERE = Caller(kind="oauth", subject="stdio")


@dataclass
class Machine:
    """A user's machine that is signed in to a gateway; `time` is what its clock says."""

    gateway: Gateway
    folder: Path
    time: float = 1_000.0
    opened: list[SignedIn] = field(default_factory=list)

    @property
    def keeper(self) -> Keeper:
        return Keeper(self.folder, backend=FileKeyring(self.folder / "keyring.json"))

    def process(self) -> SignedIn:
        """What one stdio server holds."""
        made = SignedIn(self.gateway.site, self.keeper, httpx2.AsyncHTTPTransport(), now=lambda: self.time)
        self.opened.append(made)
        return made

    async def sign_in(self) -> None:
        async with open_client() as http:
            server = AuthorizationServer(self.gateway.site, http, lambda: self.time)
            tokens = await server.redeem(await server.discover(), SecretStr("the-device-code"))
        self.keeper.keep(tokens, self.keeper.choose())

    def kept(self) -> str | None:
        kept = self.keeper.load(self.gateway.site)
        return kept.refresh_token.get_secret_value() if kept else None

    def renewals(self) -> list[str]:
        asked = self.gateway.sent("/oauth/token")
        return [form["refresh_token"] for form in asked if form["grant_type"] == "refresh_token"]


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    async with gateway() as made:
        machine = Machine(made, tmp_path)
        await machine.sign_in()
        yield machine
        for way in machine.opened:
            await way.aclose()


async def ask(way: SignedIn, content: bytes | None = None) -> httpx2.Response:
    """One request as the way out to the internal API makes it."""
    await way.ready()
    site = way._server.site
    method = "GET" if content is None else "POST"
    headers = {"authorization": f"Bearer {way.bearer(HERE)}"}
    request = httpx2.Request(method, f"{site}/api/v1/minds", headers=headers, content=content)
    response: httpx2.Response = await within(way.handle_async_request(request))
    await response.aread()
    return response


async def given_up(machine: Machine, way: SignedIn) -> asyncio.Event:
    """A caller gives up while the token is being renewed; the gateway answers when the event is set."""
    machine.gateway.grace = False
    machine.time += 3_301
    released = machine.gateway.held = asyncio.Event()
    impatient = asyncio.create_task(ask(way))
    async with asyncio.timeout(20):
        while not machine.renewals():  # noqa: ASYNC110  the gateway takes requests down and sets no event
            await asyncio.sleep(0.01)
    impatient.cancel()
    await asyncio.wait([impatient])
    return released


async def test_a_request_carries_the_access_token_and_what_carries_no_credential_gets_none(machine: Machine) -> None:
    way = machine.process()

    answer = await ask(way)
    without = await way.handle_async_request(httpx2.Request("GET", f"{machine.gateway.site}/api/v1/minds"))

    assert (answer.status_code, without.status_code) == (200, 401)
    assert machine.gateway.bearers == [*machine.gateway.good, ""]
    assert machine.renewals() == []


async def test_a_token_is_renewed_before_it_expires_and_its_successors_are_kept_first(machine: Machine) -> None:
    way = machine.process()
    await ask(way)
    machine.time += 3_301

    answer = await ask(way)

    assert answer.status_code == 200
    assert machine.renewals() == ["refresh-1"]
    assert machine.kept() == machine.gateway.current == "refresh-2"


async def test_many_requests_at_once_renew_once(machine: Machine) -> None:
    way = machine.process()
    machine.time += 3_301

    answers = await asyncio.gather(*(ask(way) for _ in range(10)))

    assert {answer.status_code for answer in answers} == {200}
    assert machine.renewals() == ["refresh-1"]


async def test_two_processes_at_once_renew_once_and_both_go_on(machine: Machine) -> None:
    machine.gateway.grace = False
    ways = [machine.process(), machine.process()]
    for way in ways:
        await ask(way)
    machine.time += 3_301

    answers = await asyncio.gather(*(ask(way) for way in ways))

    assert {answer.status_code for answer in answers} == {200}
    assert machine.renewals() == ["refresh-1"]
    assert machine.gateway.current == "refresh-2"


async def test_a_caller_who_gives_up_does_not_cost_the_sign_in(machine: Machine) -> None:
    way = machine.process()
    (await given_up(machine, way)).set()

    answer = await ask(way)

    assert answer.status_code == 200
    assert machine.renewals() == ["refresh-1"]


async def test_a_process_that_ends_keeps_what_its_renewal_gets(machine: Machine) -> None:
    way = machine.process()
    released = await given_up(machine, way)
    closing = asyncio.create_task(way.aclose())
    await asyncio.sleep(0)
    released.set()
    await within(closing)

    assert machine.kept() == machine.gateway.current == "refresh-2"


async def test_who_died_before_keeping_the_successor_gets_it_again(machine: Machine) -> None:
    before = machine.keeper.load(machine.gateway.site)
    assert before is not None
    machine.time += 3_301
    await ask(machine.process())
    machine.keeper.keep(before)  # as if the process had been killed between the answer and its keeping

    answer = await ask(machine.process())

    assert answer.status_code == 200
    assert machine.renewals() == ["refresh-1", "refresh-1"]
    assert machine.kept() == "refresh-2"


async def test_while_the_gateway_does_not_renew_a_token_that_is_good_is_used_and_no_longer(machine: Machine) -> None:
    machine.gateway.renewal_status = 503
    way = machine.process()
    machine.time += 3_301
    assert (await ask(way)).status_code == 200
    machine.time += 300

    with pytest.raises(ServiceUnavailable):
        await ask(way)

    machine.gateway.renewal_status = 200
    assert (await ask(way)).status_code == 200


async def test_a_dead_refresh_token_says_at_each_call_to_sign_in_again(machine: Machine) -> None:
    way = machine.process()
    await ask(way)
    machine.gateway.revoke()
    machine.time += 3_301

    for _ in range(3):
        with pytest.raises(NotSignedIn) as refused:
            await ask(way)
        assert "mcp_server.stdio login" in refused.value.on_stdio

    assert len(machine.renewals()) == 1
    assert machine.keeper.load(machine.gateway.site) is None


async def test_a_token_that_is_refused_before_its_time_is_renewed_and_the_request_sent_again(machine: Machine) -> None:
    machine.gateway.good.clear()

    answer = await ask(machine.process(), b"the body")

    assert answer.json()["echo"] == "the body"
    assert machine.renewals() == ["refresh-1"]


async def test_an_api_that_refuses_fresh_tokens_does_not_use_up_one_after_the_other(machine: Machine) -> None:
    way = machine.process()
    for _ in range(3):
        machine.gateway.good.clear()
        if len(machine.renewals()) == 1:
            with pytest.raises(NotSignedIn):
                await ask(way)
        else:
            assert (await ask(way)).status_code == 200
    machine.time += DOUBT_SECONDS

    await ask(way)

    assert len(machine.renewals()) == 2


@pytest.mark.parametrize("renewed", [True, False])
async def test_who_is_not_signed_in_any_more_hears_so_and_need_not_start_again_after_signing_in(
    machine: Machine, *, renewed: bool
) -> None:
    way = machine.process()
    if renewed:  # right before the sign-in ends
        machine.time += 3_301
        await ask(way)
        machine.gateway.revoke()
    machine.keeper.forget(machine.gateway.site)

    with pytest.raises(NotSignedIn):
        await ask(way)
    await machine.sign_in()

    assert (await ask(way)).status_code == 200
