"""A database that is locked, full, or that takes nothing: what writes is refused whole, what reads goes on."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import event

from app.composition import Composition, Parts
from app.factory import connect
from app.settings import Settings
from tests.edge import PATIENCE, Stage, lifespan, make_keys, request, settings_for, toolset

WAITS = 5.0
"""Seconds for which a connection waits for a lock: `busy_timeout`."""

WISH = {"redirect_uris": ["https://client.example/callback"], "client_name": "A client"}


@asynccontextmanager
async def gateway(settings: Settings, *pragmas: str) -> AsyncIterator[httpx2.AsyncClient]:
    """The gateway in process; once it has started, every connection is told the pragmas."""
    composition = Composition(settings, Parts(toolsets=[toolset(Stage())]))
    app = connect(composition)

    def tell(connection: Any, _record: Any, _proxy: Any) -> None:
        for pragma in pragmas:
            connection.execute(pragma)

    async with lifespan(app):
        event.listen(composition.engine.sync_engine, "checkout", tell)
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=settings.site_url, timeout=PATIENCE) as client:
            yield client


async def call(client: httpx2.AsyncClient, key: str) -> int:
    headers, body = request("tools/call", {"name": "private", "arguments": {}}, key=key)
    return (await client.post("/mcp", headers=headers, json=body)).status_code


async def longest_turn_until(work: asyncio.Future[Any]) -> float:
    """The longest time in which the event loop got round to nothing else, in seconds."""
    longest, last = 0.0, time.perf_counter()
    while not work.done():
        await asyncio.sleep(0.005)
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    return longest


def clients_in(settings: Settings) -> int:
    with closing(sqlite3.connect(str(settings.database.database))) as connection:
        found: int = connection.execute("SELECT count(*) FROM oauth_clients").fetchone()[0]
    return found


@pytest.mark.security("FI-06", "RE-07")
async def test_a_lock_that_lasts_is_waited_for_and_then_refused_whole(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    key, other = await make_keys(settings)

    async with gateway(settings) as client:
        file = str(settings.database.database)
        with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as writer:
            # In a thread: what the gateway has begun to write at its start ends on this event loop.
            await asyncio.to_thread(writer.execute, "BEGIN IMMEDIATE")
            asked = asyncio.gather(client.post("/oauth/register", json=WISH), call(client, key), call(client, other))
            longest = await longest_turn_until(asked)
            refused, *read = await asked
            writer.execute("ROLLBACK")
        left = clients_in(settings)
        mended = await client.post("/oauth/register", json=WISH)

    assert longest < WAITS / 2  # the wait was a thread's, not the event loop's
    assert refused.status_code == 503
    assert refused.json()["error"] == "temporarily_unavailable"
    assert 500 not in read
    assert read[0] == 200
    assert (left, mended.status_code, clients_in(settings)) == (0, 201, 1)


@pytest.mark.security("FI-07")
@pytest.mark.parametrize("refusal", ["PRAGMA max_page_count=1", "PRAGMA query_only=ON"], ids=["full", "read-only"])
async def test_a_disk_that_takes_nothing_refuses_what_writes_and_answers_what_reads(
    tmp_path: Path, refusal: str
) -> None:
    """`max_page_count` below the size of the file means: no page more, the very error of a full disk (SQLITE_FULL)."""
    settings = settings_for(tmp_path)
    key, _ = await make_keys(settings)
    large = [f"https://client.example/{number:04}/{'x' * 180}" for number in range(20)]

    async with gateway(settings, refusal) as client:
        written = [(await client.post("/oauth/register", json={**WISH, "redirect_uris": large})) for _ in range(12)]
        reads = [
            await call(client, key),
            (await client.get("/livez")).status_code,
            (await client.get("/readyz")).status_code,
        ]

    assert written[-1].status_code == 503, [answer.text for answer in written]
    assert reads == [200, 200, 200]
