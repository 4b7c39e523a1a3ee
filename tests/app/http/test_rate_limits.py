"""Limits at the edge: who is charged, what every answer says, and who is never starved."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from app.composition import Parts
from app.http.rate_limits import ConcurrencyLimit
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import RateLimitExceeded, ServiceUnavailable
from mcp_server.protocol import exchange
from mcp_server.request_context import RequestContext
from mcp_server.toolset import Toolset
from tests.edge import ERAS, LEGACY, MODERN, SITE, Edge, Stage, make_keys, running, settings_for, tool, within
from tests.edge import say as say_tool

ORIGIN = "https://claude.ai"
FIGURES = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit", "ratelimit-policy"}


@asynccontextmanager
async def limited(folder: Path, **limits: Any) -> AsyncIterator[Edge]:
    async with running(settings_for(folder, **limits)) as edge:
        yield edge


def wrong_key(number: int) -> str:
    return f"minds_{number:048x}"


@asynccontextmanager
async def coming_from(edge: Edge, address: str) -> AsyncIterator[Edge]:
    """The same gateway, called from another address."""
    transport = httpx2.ASGITransport(edge.app, raise_app_exceptions=False, client=(address, 1))
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        yield Edge(edge.app, client, edge.stage, edge.key, edge.narrow_key)


@pytest.mark.security("RL-02")
@pytest.mark.requirement("seed:gateway:limit-headers")
async def test_every_answer_says_how_the_tightest_window_stands(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="50/minute", rate_limit_tools="*=5/minute") as edge:
        answers = [
            await edge.call("say", key=edge.key),
            await edge.call("fail", key=edge.key),
            await edge.call("private", key=edge.narrow_key),  # 403
            await edge.call("private"),  # 401
            await edge.rpc("no/such/method"),  # 404
            await edge.rpc("notifications/initialized", identity=None),
            await edge.post(b"{"),
            await edge.post(b"{}", content_type="text/plain"),
            await edge.rpc("tools/list", key=wrong_key(1)),
        ]

    assert [answer.status_code for answer in answers] == [200, 200, 403, 401, 404, 202, 400, 415, 401]
    assert all(set(answer.headers) >= FIGURES for answer in answers)
    assert [answer.headers["ratelimit"].partition(";t=")[0] for answer in answers] == [
        '"tools/call";r=4',
        '"tools/call";r=3',
        '"tools/call";r=2',  # of the same account
        '"tools/call";r=4',
        *(f'"anonymous";r={left}' for left in (48, 47, 46, 45, 44)),
    ]


@pytest.mark.security("RL-02")
@pytest.mark.requirement("seed:gateway:limit-retry-after", "seed:gateway:error-rate-limit")
@pytest.mark.parametrize(("era", "code"), [(LEGACY, -32002), (MODERN, 429)])
async def test_a_refusal_says_when_to_come_back_in_the_form_of_its_era(tmp_path: Path, era: str, code: int) -> None:
    async with limited(tmp_path, rate_limit_tools="*=2/minute") as edge:
        answers = [await edge.call("say", key=edge.key, era=era, identity=7) for _ in range(3)]

    refusal = answers[-1].json()
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (refusal["id"], refusal["error"]["code"]) == (7, code)
    assert refusal["error"]["data"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert refusal["error"]["data"]["retryAfter"] == int(answers[-1].headers["retry-after"])
    assert int(answers[-1].headers["x-ratelimit-reset"]) <= int(answers[-1].headers["retry-after"]) <= 60
    assert answers[-1].headers["x-ratelimit-remaining"] == "0"


@pytest.mark.security("RL-06")
@pytest.mark.requirement("seed:gateway:limit-sliding-window")
async def test_accounts_behind_one_address_do_not_starve_each_other(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, rate_limit_authenticated="5/minute", rate_limit_anonymous="3/minute")
    other, _ = await make_keys(settings)
    async with limited(tmp_path, rate_limit_authenticated="5/minute", rate_limit_anonymous="3/minute") as edge:
        strangers = [(await edge.rpc("tools/list")).status_code for _ in range(5)]
        flood = [(await edge.rpc("tools/list", key=edge.key)).status_code for _ in range(20)]
        quiet = [(await edge.rpc("tools/list", key=other)).status_code for _ in range(5)]

    assert strangers == [200] * 3 + [429] * 2
    assert flood == [200] * 5 + [429] * 15
    assert quiet == [200] * 5


@pytest.mark.security("FI-16")
async def test_a_wall_clock_that_jumps_neither_empties_a_window_nor_freezes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = time.time
    async with limited(tmp_path, rate_limit_anonymous="2/hour") as edge:
        used = [(await edge.rpc("ping")).status_code for _ in range(2)]
        monkeypatch.setattr(time, "time", lambda: told() + 7200)
        ahead = await edge.rpc("ping")
    async with limited(tmp_path, rate_limit_anonymous="1/second") as edge:
        await edge.rpc("ping")
        monkeypatch.setattr(time, "time", lambda: told() - 7200)
        async with asyncio.timeout(20):
            while (await edge.rpc("ping")).status_code != 200:  # noqa: ASYNC110  a window tells nobody that it has room
                await asyncio.sleep(0.05)

    assert used == [200, 200]
    assert ahead.status_code == 429
    assert 3500 < int(ahead.headers["retry-after"]) <= 3600


@pytest.mark.security("RL-07", "AK-10")
async def test_wrong_keys_are_slowed_down_while_right_ones_and_other_addresses_go_on(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="5/minute") as edge:
        wrong = [(await edge.rpc("tools/list", key=wrong_key(number))).status_code for number in range(30)]
        right = [(await edge.rpc("tools/list", key=edge.key)).status_code for _ in range(10)]
        async with coming_from(edge, "192.0.2.2") as other:
            elsewhere = await other.rpc("tools/list", key=wrong_key(1_000))

    assert wrong == [401] * 5 + [429] * 25
    assert right == [200] * 10
    assert elsewhere.status_code == 401


@pytest.mark.security("AK-10")
async def test_wrong_keys_from_many_addresses_are_slowed_down_together(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="3/minute") as edge:
        statuses = []
        for address in range(15):
            async with coming_from(edge, f"192.0.2.{address}") as there:
                for number in range(4):
                    answer = await there.rpc("tools/list", key=wrong_key(address * 100 + number))
                    statuses.append(answer.status_code)
                right = await there.rpc("tools/list", key=edge.key)
                assert right.status_code == 200

    assert statuses.count(401) <= 30
    assert set(statuses) == {401, 429}


@pytest.mark.security("RL-03")
async def test_a_new_address_in_a_header_is_no_new_address(tmp_path: Path) -> None:
    names = ("x-forwarded-for", "x-real-ip", "forwarded", "cf-connecting-ip", "true-client-ip")
    async with limited(tmp_path, rate_limit_anonymous="3/minute") as edge:
        statuses = [
            (await edge.rpc("tools/list", headers={name: f"203.0.113.{number}"})).status_code
            for number, name in enumerate(names * 2)
        ]

    assert statuses == [200] * 3 + [429] * 7


@pytest.mark.security("RL-04", "RL-05")
async def test_behind_trusted_proxies_each_site_has_its_own_window(tmp_path: Path) -> None:
    async def status(edge: Edge, forwarded: str) -> int:
        return (await edge.rpc("tools/list", headers={"x-forwarded-for": forwarded})).status_code

    proxies = ("127.0.0.1", "10.0.0.0/24")
    async with limited(tmp_path, rate_limit_anonymous="2/minute", trusted_proxies=proxies) as edge:
        site = [await status(edge, f"{invented}, 2001:db8::{invented:x}, 10.0.0.7") for invented in range(4)]
        mapped = [await status(edge, address) for address in ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1:80")]

    assert site == [200, 200, 429, 429]
    assert mapped == [200, 200, 429]


@pytest.mark.security("RL-14", "RL-16")
async def test_discovery_health_metrics_and_preflights_are_not_counted(tmp_path: Path) -> None:
    preflight = {"origin": ORIGIN, "access-control-request-method": "POST"}
    async with limited(tmp_path, rate_limit_anonymous="1/minute") as edge:
        flood = [(await edge.rpc("tools/list")).status_code for _ in range(5)]
        paths = ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"]
        paths += ["/.well-known/jwks.json", "/livez", "/readyz", "/mcp", "/metrics"]
        others = {path: (await edge.client.get(path)).status_code for path in paths * 3}
        asked = [(await edge.client.options("/mcp", headers=preflight)).status_code for _ in range(5)]

    assert flood == [200] + [429] * 4
    assert set(others.values()) == {200}
    assert asked == [200] * 5


@pytest.mark.security("RL-10")
@pytest.mark.parametrize("era", ERAS)
async def test_of_many_calls_at_once_as_many_run_as_the_limit_says(tmp_path: Path, era: str) -> None:
    async with limited(tmp_path, rate_limit_tools="*=20/minute") as edge:
        answers = await asyncio.gather(*(edge.call("say", key=edge.key, era=era) for _ in range(100)))

        assert len(edge.stage.calls) == 20
    assert sorted({answer.status_code for answer in answers}) == [200, 429]
    assert sum(answer.status_code == 200 for answer in answers) == 20


@pytest.mark.requirement("seed:gateway:new-tool-limit", "seed:gateway:limit-new-tool")
async def test_a_tool_carries_its_own_limit_and_cost(tmp_path: Path) -> None:
    @asynccontextmanager
    async def opened(_runtime: Any) -> AsyncIterator[Stage]:
        yield Stage()

    own = Toolset("own", (tool(say_tool, limit="30/minute", units=10),), opened)
    async with running(settings_for(tmp_path), Parts(toolsets=[own])) as edge:
        answers = [await edge.call("say", key=edge.key) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["ratelimit-policy"] == '"say";q=30;w=60'
    assert answers[0].headers["x-ratelimit-remaining"] == "20"


async def test_limits_can_be_switched_off(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_enabled=False, rate_limit_anonymous="1/minute") as edge:
        answers = [await edge.rpc("ping") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200] * 3
    assert not FIGURES & set(answers[0].headers)


async def unchecked(_bearer: str) -> Caller | None:
    raise ServiceUnavailable("The credential cannot be checked at the moment; try again")


@pytest.mark.security("RL-02")
async def test_a_fault_of_ours_tells_the_figures_and_charges_nothing(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, rate_limit_anonymous="50/minute")
    async with running(settings, Parts(authenticate=unchecked)) as edge:
        await edge.rpc("ping")
        answers = [await edge.rpc("ping", key=wrong_key(1)) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [503] * 3
    assert all(set(answer.headers) >= FIGURES for answer in answers)
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["49"] * 3


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
async def test_of_many_streams_of_one_account_those_beyond_its_share_are_refused_and_others_are_served(
    small: Edge, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "KEEP_ALIVE_SECONDS", 0.01)
    many = 5 * LIMIT

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
def test_a_share_is_an_accounts_or_where_nobody_signed_in_an_addresses(
    first: tuple[Caller, str], second: tuple[Caller, str], *, shared: bool
) -> None:
    limit = ConcurrencyLimit(1)
    holding, asking = (RequestContext("", address=address, caller=who) for who, address in (first, second))

    with limit.held(holding), nullcontext() if not shared else pytest.raises(RateLimitExceeded), limit.held(asking):
        assert limit._open.total() == 2

    assert not limit._open
