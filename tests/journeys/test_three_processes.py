"""Three hosts that count on one Redis: exact while it answers, and alive while it does not."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

import httpx2
import pytest
from sqlalchemy import URL

from tests.edge import LEGACY, MODERN, request
from tests.journeys.host import Host, in_database, key_for, new_host, started
from tests.processes import HOST
from tests.redis import Server, redis_server

TOOL = "list_my_ai_personas"
LIMIT, ATTEMPTS, PROCESSES = 100, 2000, 3
ASKING, CALLS = 12, 60
"""Clients at once, and what each of them asks one after the other, while Redis freezes."""
WAIT = 60.0
"""Seconds for what takes one or two; the rest is for a busy machine."""


@dataclass(frozen=True)
class Trio:
    """The processes, and the Redis that they share."""

    hosts: Sequence[Host]
    redis: Server
    pids: Sequence[int]

    async def statuses(self, key: str, attempts: int, era: str) -> Counter[int]:
        """The statuses of so many calls that are all made at once, in turn at each process."""
        asked = (self.ask(number, key, era) for number in range(attempts))
        return Counter(await asyncio.gather(*asked))

    async def ask(self, number: int, key: str, era: str = MODERN) -> int:
        """The status of one call, on a connection of its own; none at all is an error."""
        headers, body = request("tools/call", {"name": TOOL, "arguments": {}}, era=era, key=key)
        host = self.hosts[number % PROCESSES]
        return await posted(host.port, headers, json.dumps(body).encode())

    async def counting(self, host: Host) -> str:
        """What the process says of itself: `shared` or `local`."""
        async with httpx2.AsyncClient(trust_env=False, timeout=WAIT) as web:
            told: str = (await web.get(host.url)).json()["components"]["limits"]["counting"]
        return told

    async def until_all_count(self, where: str) -> None:
        async with asyncio.timeout(WAIT):
            while {await self.counting(host) for host in self.hosts} != {where}:  # noqa: ASYNC110  other processes know when
                await asyncio.sleep(0.1)


async def posted(port: int, headers: dict[str, str], body: bytes) -> int:
    """The status of a POST at `/mcp`: 2,000 clients of a library would be busier than the servers."""
    named = {"host": f"{HOST}:{port}", "connection": "close", "content-length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        answer = await reader.read()
    finally:
        writer.close()
    return int(answer.split(b" ", 2)[1])


HINDER = """
import os, random, signal, sys, time
redis, *processes = map(int, sys.argv[1:])
for number in range(40):
    for pid, seconds in ((random.choice(processes), random.uniform(0.01, 0.3)), (redis, random.uniform(0.01, 0.03))):
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
"""
"""Stops a process for up to 0.3 s, and Redis for up to 30 ms, in turn. It is a process itself: it is to be on time."""


@asynccontextmanager
async def hindered(trio: Trio) -> AsyncIterator[None]:
    pids = [str(pid) for pid in (trio.redis.pid, *trio.pids)]
    hindering = await asyncio.create_subprocess_exec(sys.executable, "-c", HINDER, *pids)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            hindering.kill()
        await hindering.wait()
        for pid in map(int, pids):
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
async def trio(site_database: URL, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Trio]:
    with redis_server() as redis:
        hosts = []
        for name in ("one", "two", "three"):
            # Of an hour: however slow the machine is, no window ends before the test does.
            more = {"RATE_LIMIT_TOOLS": f"{TOOL}={LIMIT}/hour", "HTTP_ERROR_STATUS": "always"}
            more |= in_database(site_database)
            hosts.append(new_host(tmp_path_factory.mktemp(name), SECRET_KEY="5" * 64, REDIS_URL=redis.url, **more))
        async with AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(started(host)) for host in hosts]
            yield Trio(hosts, redis, [server.pid for server in servers])


@pytest.mark.security("RL-10")
async def test_of_2000_attempts_at_once_at_three_processes_exactly_the_limit_passes(trio: Trio) -> None:
    await trio.until_all_count("shared")
    told = await trio.statuses(await key_for(trio.hosts[0]), ATTEMPTS, LEGACY)
    key = await key_for(trio.hosts[0])
    async with hindered(trio):
        told_late = await trio.statuses(key, ATTEMPTS, MODERN)

    assert told == {200: LIMIT, 429: ATTEMPTS - LIMIT}
    assert told_late == told


@pytest.mark.security("RL-11", "FI-03")
async def test_a_redis_that_freezes_under_load_costs_no_call_and_counts_again_when_it_thaws(trio: Trio) -> None:
    await trio.until_all_count("shared")
    key = await key_for(trio.hosts[0])
    seen: Counter[int] = Counter()

    async def go_on_asking(first: int) -> None:
        for number in range(first, first + CALLS):
            seen[await trio.ask(number, key)] += 1

    async with asyncio.TaskGroup() as load:
        for first in range(ASKING):
            load.create_task(go_on_asking(first))
        while seen.total() < ASKING * CALLS / 4:  # noqa: ASYNC110  the middle of the load is a number of answers
            await asyncio.sleep(0.01)
        trio.redis.freeze()
    counting = {await trio.counting(host) for host in trio.hosts}
    trio.redis.thaw()
    await trio.until_all_count("shared")

    assert seen.total() == ASKING * CALLS
    assert set(seen) == {200, 429}
    # Each process lets its part in, which is the whole limit where RATE_LIMIT_WORKERS does not tell of the others.
    assert LIMIT <= seen[200] <= LIMIT * (PROCESSES + 1)
    assert counting == {"local"}
    another = await key_for(trio.hosts[0])
    again = Counter([await trio.ask(number, another) for number in range(LIMIT + PROCESSES)])
    assert again == {200: LIMIT, 429: PROCESSES}
