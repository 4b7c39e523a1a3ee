"""How many calls one caller may have open at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from app.http.concurrency_limit import AtOnce, AtOnceMiddleware
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import GatewayError
from mcp_server.protocol import stateless_http as exchange
from tests.edge import ERAS, LEGACY, MODERN, Edge, running, settings_for, within

LIMIT = 20


@pytest.fixture
async def small(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    settings = settings_for(tmp_path_factory.mktemp("edge"), max_calls_at_once=LIMIT, rate_limit_enabled=False)
    async with running(settings) as edge:
        yield edge


async def opened(edge: Edge, many: int, era: str) -> list[asyncio.Task[int]]:
    """Calls that wait on the stage, of which only `LIMIT` get there."""

    async def one(number: int) -> int:
        return (await edge.call("wait", {"word": f"w{number}"}, era=era, key=edge.key)).status_code

    tasks = [asyncio.create_task(one(number)) for number in range(many)]
    while sum(task.done() for task in tasks) < many - LIMIT:
        await asyncio.wait([task for task in tasks if not task.done()], return_when=asyncio.FIRST_COMPLETED, timeout=20)
    return tasks


@pytest.mark.security("RE-05")
@pytest.mark.parametrize("era", ERAS)
async def test_of_a_thousand_streams_of_one_account_those_beyond_its_share_are_refused_and_others_are_served(
    small: Edge, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "PATIENCE", 0.01)
    many = 1_000

    tasks = await within(opened(small, many, era))
    others = [await small.rpc("tools/list", era=era), await small.rpc("tools/list", era=era, key=small.narrow_key)]
    refused = await small.rpc("tools/list", era=era, key=small.key)
    for number in range(many):
        small.stage.released[f"w{number}"].set()
    statuses = [await within(task) for task in tasks]
    afterwards = await small.rpc("tools/list", era=era, key=small.key)

    assert (statuses.count(200), statuses.count(429)) == (LIMIT, many - LIMIT)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert refused.json()["error"]["data"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert [answer.status_code for answer in others] == [200, 429]  # the narrow key is of the same account
    assert afterwards.status_code == 200


def caller(name: str) -> Caller:
    return Caller(kind="api_key", subject=name, credential=SecretStr(name))


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ((caller("ada"), "1.1.1.1"), (caller("ada"), "2.2.2.2"), True),
        ((caller("ada"), "1.1.1.1"), (caller("bob"), "1.1.1.1"), False),
        ((ANONYMOUS, "1.1.1.1"), (ANONYMOUS, "1.1.1.1"), True),
        ((ANONYMOUS, "1.1.1.1"), (ANONYMOUS, "2.2.2.2"), False),
        ((ANONYMOUS, "2001:db8::1"), (ANONYMOUS, "2001:db8::2"), True),
        ((ANONYMOUS, "1.1.1.1"), (caller("ada"), "1.1.1.1"), False),
    ],
)
async def test_a_share_is_an_accounts_or_where_nobody_signed_in_an_addresses(
    first: tuple[Caller, str], second: tuple[Caller, str], *, shared: bool
) -> None:
    release, entered = asyncio.Event(), asyncio.Event()

    async def app(scope: object, receive: object, send: object) -> None:
        entered.set()
        await release.wait()

    at_once = AtOnce(1)
    middleware = AtOnceMiddleware(app, at_once)

    async def ask(who: tuple[Caller, str]) -> bool:
        try:
            await middleware({"caller": who[0], "client": (who[1], 1)}, None, None)  # type: ignore[arg-type]  # never called
        except GatewayError:
            return False
        return True

    holding = asyncio.create_task(ask(first))
    await within(entered.wait())
    asking = asyncio.create_task(ask(second))
    await asyncio.wait({asking}, timeout=0.05)
    was_refused = asking.done()
    release.set()

    assert await within(holding)
    assert await within(asking) is not shared
    assert was_refused is shared
    assert len(at_once) == 0


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_forty_calls_at_once_are_nobodys_flood(edge: Edge, era: str) -> None:
    answers = await asyncio.gather(*(edge.call("say", era=era, key=edge.key) for _ in range(40)))

    assert {answer.status_code for answer in answers} == {200}
