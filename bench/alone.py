"""The gateway by itself: its start, its memory over many calls, latency at fixed rates, `tools/list`, and what the kind
of credential and Redis change.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.contestants import GATEWAY, Running, running, upstream
from bench.measure import WARM_UP, Plan, load, stdio_start
from bench.wire import ERAS, KEY
from tests.journeys.host import Host
from tests.journeys.hosted import Hosted
from tests.journeys.sign_in_site import CLIENTS_SETTING, PUBLIC, DocumentServer, SignInSite
from tests.processes import free_port
from tests.redis import redis_server

RATES = (500, 1_000, 2_000)
RATE_CONNECTIONS = 64
SLOWEST = 50
"""Calls a second; how long many of them may take is bounded by it."""

Bearer = Callable[[Running, Path, Mapping[str, str]], str]
"""Makes the credential, given the server, the folder, and the server's settings."""

CALLBACK = "http://127.0.0.1:33420/callback"


@dataclass(frozen=True)
class Figure:
    """One figure, with its unit. `what` is the measure and `of` what it was taken of."""

    what: str
    of: str
    value: float
    unit: str


def measure(plan: Plan, calls: int, folder: Path, tell: Callable[[str], None]) -> list[Figure]:
    """All of them.

    Raises:
        Wrong: an answer was none.

    """
    tell("start of stdio and HTTP")
    figures = [Figure("tools/list on stdio after", "start", stdio_start(folder) or 0.0, "s")]
    with upstream(folder) as api:
        begun = time.perf_counter()
        with running(GATEWAY, api, folder) as server:
            figures.append(Figure("HTTP answers after", "start", round(time.perf_counter() - begun, 2), "s"))
            figures.append(Figure("processor time", "start", round(server.busy, 2), "s"))
            figures.append(Figure("memory", "idle", server.resident, "MB"))
            load(server, ERAS[-1], plan.connections, WARM_UP)
            for era in ERAS:
                tell(f"tools/list, {era}")
                told = load(server, era, plan.connections, plan.seconds, method="tools/list")
                figures += _figures("tools/list", era, told)
            for rate in RATES:
                tell(f"{rate} calls a second")
                told = load(server, ERAS[-1], RATE_CONNECTIONS, plan.seconds, rate=rate)
                figures += _figures(f"{rate:,} a second are due", ERAS[-1], told)
            if calls:
                figures += _memory(server, plan, calls, tell)
        for name, (of, with_redis) in CREDENTIALS.items():
            tell(name)
            figures += _credential(name, of, plan, api, folder, with_redis=with_redis)
    return figures


def _figures(what: str, of: str, told: Mapping[str, Any]) -> list[Figure]:
    units = {"calls_per_second": "calls/s", "p50_ms": "p50 ms", "p99_ms": "p99 ms"}
    return [Figure(what, of, told[name], unit) for name, unit in units.items()]


def _memory(server: Running, plan: Plan, calls: int, tell: Callable[[str], None]) -> list[Figure]:
    tell(f"memory over {calls:,} calls")
    figures = []
    for half in (calls // 2, calls):
        load(server, ERAS[-1], plan.connections, calls / 2 / SLOWEST, calls=calls // 2)
        figures.append(Figure("memory", f"after {half:,} calls", server.resident, "MB"))
    return figures


def _credential(name: str, bearer: Bearer, plan: Plan, api: str, folder: Path, *, with_redis: bool) -> list[Figure]:
    with ExitStack() as stack:
        more = {"DATA_DIR": str(folder / name.replace(" ", "-")), "OAUTH_CLIENTS": CLIENTS_SETTING}
        if with_redis:
            more["REDIS_URL"] = stack.enter_context(redis_server()).url
        port = free_port()
        settings = {**GATEWAY.settings(port, api), **more}
        contestant = replace(GATEWAY, name=name, settings=lambda own, _upstream: {**settings, "PORT": str(own)})
        server = stack.enter_context(running(contestant, api, folder))
        token = bearer(server, folder, settings)
        server = replace(server, contestant=replace(contestant, bearer=lambda: token))
        load(server, ERAS[-1], plan.connections, WARM_UP)
        return [each for era in ERAS for each in _figures(name, era, load(server, era, plan.connections, plan.seconds))]


def _key(_server: Running, _folder: Path, _settings: Mapping[str, str]) -> str:
    return KEY


def _token(server: Running, folder: Path, settings: Mapping[str, str]) -> str:
    """An access token of the embedded authorization server, for somebody who signed in."""

    async def signed_in() -> str:
        site = SignInSite(Host(server.port, folder, {**settings, "PORT": str(server.port)}), DocumentServer())
        async with site.somebody() as person:
            app = Hosted(site, CALLBACK, "bench/1", client_id=PUBLIC)
            await app.discover(f"{site.origin}/.well-known/oauth-protected-resource/mcp")
            await app.sign_in(person, "sparks:read")
            await person.press(await person.open(f"{site.origin}/account/keys"), action="/account/minds-key", key=KEY)
        return str(app.tokens["access_token"])

    return asyncio.run(signed_in())


CREDENTIALS = {
    "API key": (_key, False),
    "API key, Redis": (_key, True),
    "OAuth": (_token, False),
    "OAuth, Redis": (_token, True),
}


def table(figures: list[dict[str, Any]]) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for one in figures:
        rows.setdefault((one["what"], one["of"]), []).append(f"{one['value']:>10,.2f} {one['unit']:<7}")
    return "\n".join(f"{what:<28} {of:<22} {' '.join(told)}" for (what, of), told in rows.items())


def as_json(figures: list[Figure]) -> list[dict[str, Any]]:
    return [asdict(one) for one in figures]
