"""`kill -9` in the middle of the work of OAuth: what was acknowledged is there, and nothing twice."""

import random
import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Grant
from oauth.models import User
from oauth.primitives.secrets import digest
from oauth.stores.accounts import AccountStore
from oauth.stores.clients import ClientStore
from oauth.stores.grants import GrantStore
from tests.faults.killing import work
from tests.forked import fork_server
from tests.fuzz.sizes import examples
from tests.oauth.delegations import code_of, grant_of, refresh_of

KILLS, EACH = examples(1 / 6), 10
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
LATEST = 0.25
"""Seconds of work after which a process is killed at the latest."""


async def prepared(engine: AsyncEngine, round_: int) -> list[Grant]:
    """Grants with codes that wait to be redeemed."""
    user = User(f"user-{round_}", f"{round_}@example.com", NOW)
    await AccountStore(engine).add_user(user)
    made = [grant_of(user, NOW) for _ in range(EACH)]
    for grant in made:
        await GrantStore(engine).approve(grant.id, grant, code_of(grant, NOW, grant.id), grant.expires_at)
    return made


def killed_at_random(url: URL, grants: list[Grant], chance: random.Random) -> dict[str, set[str]]:
    """What the process had acknowledged when it was killed."""
    processes = fork_server()
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(url, grants, NOW, theirs))
    process.start()
    theirs.close()
    told: dict[str, set[str]] = defaultdict(set)
    assert ours.recv()[0] == "ready"
    process.join(chance.uniform(0, LATEST))
    process.kill()
    process.join()
    try:
        while True:
            deed, name = ours.recv()
            told[deed].add(name)
    except (EOFError, OSError):
        ours.close()
    return told


async def state_of(engine: AsyncEngine, grant: Grant) -> dict[str, Any]:
    store = GrantStore(engine)
    code_again = await store.claim_code(digest(grant.id), refresh_of(grant, NOW, f"third {grant.id}"), NOW)
    clients = ClientStore(engine)
    return {
        "registered": await clients.find_client(f"client {grant.id}", NOW) is not None,
        "redeemed": not isinstance(code_again, Grant),
        "renewed": await store.find_refresh(digest(f"second {grant.id}")) is not None,
    }


@pytest.mark.security("FI-09")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_what_was_acknowledged_before_a_kill_is_there_afterwards_and_nothing_happens_twice(
    engine: AsyncEngine, database: URL
) -> None:
    chance, acknowledged, store = random.Random(9), 0, GrantStore(engine)

    for number in range(KILLS):
        grants = await prepared(engine, number)
        told = killed_at_random(database, grants, chance)
        acknowledged += sum(map(len, told.values()))
        for grant in grants:
            if grant.id in told["revoked"]:
                assert await store.find_live_grant(grant.id, NOW) is None
            found = await state_of(engine, grant)
            assert [deed for deed, done in found.items() if grant.id in told[deed] and not done] == []
    with closing(sqlite3.connect(str(database.database))) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchone()[0]

    assert acknowledged > KILLS
    assert whole == "ok"
