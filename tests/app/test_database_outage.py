"""The gateway's own database is away: each call says so, nothing is left alone for it, and its return is the end."""

import asyncio
import sqlite3
from pathlib import Path

from app.composition import Parts
from tests.edge import make_keys, running, settings_for


async def changed(folder: Path, statement: str) -> None:
    """In a thread: who holds the lock of the database at this moment needs the loop to let go of it."""

    def change() -> None:
        with sqlite3.connect(folder / "gateway.sqlite3") as database:
            database.execute(statement)

    await asyncio.to_thread(change)


async def test_a_database_that_fails_opens_no_breaker_and_its_return_ends_the_outage(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, rate_limit_enabled=False)
    async with running(settings, Parts()) as edge:
        key = (await make_keys(settings))[0]
        await edge.call("list_my_ai_personas", key=key)
        await changed(tmp_path, "ALTER TABLE minds RENAME TO away")
        failed = [await edge.call("list_my_ai_personas", key=key) for _ in range(8)]

        await changed(tmp_path, "ALTER TABLE away RENAME TO minds")
        again = await edge.call("list_my_ai_personas", key=key)

    assert {answer.status_code for answer in failed} == {503}
    assert {answer.headers["retry-after"] for answer in failed} == {"1"}
    assert {answer.json()["error"]["message"] for answer in failed} == {
        "The gateway's database does not answer; try again in a moment"
    }
    assert again.status_code == 200
