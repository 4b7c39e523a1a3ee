"""Grants, codes and refresh tokens in SQLite and in PostgreSQL."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import Table, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Code, Device, Grant, Reused
from oauth.models import User
from oauth.primitives import secrets
from oauth.stores import Stores, tables
from oauth.stores.accounts import AccountStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from tests.oauth.delegations import CLIENT, RESOURCE, code_of, grant_of, refresh_of

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def kept(engine: AsyncEngine) -> GrantStore:
    return GrantStore(engine)


@pytest.fixture
def grant(ada: User, now: datetime) -> Grant:
    return grant_of(ada, now)


@pytest.fixture
async def code(kept: GrantStore, grant: Grant, now: datetime) -> Code:
    """A code of the grant, both in the store."""
    code = code_of(grant, now)
    assert await kept.approve("a request", grant, code, now + MINUTE)
    return code


async def count(engine: AsyncEngine, table: Table) -> int:
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


async def test_an_approval_that_fails_leaves_the_request_unspent(kept: GrantStore, grant: Grant, now: datetime) -> None:
    with pytest.raises(IntegrityError):
        await kept.approve("a request", replace(grant, user_id=str(uuid4())), code_of(grant, now), now + MINUTE)

    assert await kept.spend("a request", now + MINUTE)


@pytest.mark.security("TK-05")
async def test_a_used_code_that_has_expired_still_revokes_the_family(
    kept: GrantStore, engine: AsyncEngine, grant: Grant, code: Code, now: datetime
) -> None:
    await kept.claim_code(code.digest, None, now)
    await Stores(engine).drop_expired(now + 30 * DAY)

    assert await kept.claim_code(code.digest, None, now + 30 * DAY) == Reused(grant.id)


@pytest.mark.parametrize("ended", ["token", "family", "revoked", "disabled", "unknown"])
@pytest.mark.security("RF-11", "RF-12")
async def test_nothing_rotates_after_its_end(
    kept: GrantStore, store: AccountStore, ada: User, now: datetime, ended: str
) -> None:
    grant = grant_of(ada, now, expires_at=now + (MINUTE if ended == "family" else DAY))
    old = refresh_of(grant, now, "old", expires_at=now + (MINUTE if ended == "token" else DAY))
    await kept.add_grant(grant, old)
    if ended == "revoked":
        await kept.revoke_grant(grant.id, "disconnected", now)
    if ended == "disabled":
        await store.set_disabled(ada.id, now)
    digest = "unknown" if ended == "unknown" else old.digest

    rotated = await kept.rotate(digest, refresh_of(grant, now, "new"), "sealed", now, now + MINUTE)

    assert rotated is None
    assert await kept.find_refresh(refresh_of(grant, now, "new").digest) is None


@pytest.mark.security("RV-11")
async def test_a_revocation_keeps_its_first_time_and_is_announced_once(
    kept: GrantStore, grant: Grant, now: datetime
) -> None:
    await kept.add_grant(grant)
    before = (await kept.revisions())["grants"]

    await kept.revoke_grant(grant.id, "disconnected", now)
    await kept.revoke_grant(grant.id, "revoked by the client", now + SECOND)
    await kept.revoke_grant("unknown", "disconnected", now)

    assert await kept.find_grant(grant.id) == replace(grant, revoked_at=now, revoked_reason="disconnected")
    assert (await kept.revisions())["grants"] == before + 1


async def test_an_account_lists_its_live_grants_newest_first(
    kept: GrantStore, store: AccountStore, ada: User, now: datetime
) -> None:
    bob = replace(ada, id="b", email="bob@example.com")
    await store.add_user(bob)
    old, new = grant_of(ada, now), grant_of(ada, now + SECOND)
    others = [grant_of(bob, now), grant_of(None, now), grant_of(ada, now, expires_at=now + SECOND)]
    revoked = grant_of(ada, now)
    for grant in (old, new, *others, revoked):
        await kept.add_grant(grant)
    await kept.revoke_grant(revoked.id, "disconnected", now)

    assert await kept.list_grants(ada.id, now + SECOND) == [new, old]


async def test_a_grant_is_listed_while_its_code_may_be_redeemed_and_once_it_was(
    kept: GrantStore, grant: Grant, code: Code, ada: User, now: datetime
) -> None:
    assert await kept.list_grants(ada.id, now) == [grant]
    assert await kept.list_grants(ada.id, code.expires_at) == []

    await kept.claim_code(code.digest, None, now)

    assert await kept.list_grants(ada.id, code.expires_at) == [grant]


@pytest.mark.security("CO-17")
async def test_all_that_a_client_holds_of_an_account_ends_at_once_and_nothing_else(
    kept: GrantStore, store: AccountStore, engine: AsyncEngine, ada: User, grant: Grant, code: Code, now: datetime
) -> None:
    bob, devices = replace(ada, id="b", email="bob@example.com"), DeviceStore(engine)
    await store.add_user(bob)
    mine, others, bobs = grant_of(ada, now), grant_of(ada, now, client_id="other"), grant_of(bob, now)
    for each in (mine, others, bobs):
        await kept.add_grant(each)
    for name, client_id, user_id in (("d", grant.client_id, ada.id), ("e", "other", ada.id), ("f", CLIENT, bob.id)):
        await devices.add_device(Device(name, name, client_id, "App", grant.scopes, RESOURCE, now, now + MINUTE, 5))
        assert await devices.decide(name, user_id=user_id, scopes=grant.scopes, now=now)
    before = (await kept.revisions())["grants"]

    ended = await kept.end_client(ada.id, grant.client_id, now)

    live = [each for each in (grant, mine, others, bobs) if await kept.find_live_grant(each.id, now)]
    found = [await devices.find_device(name) for name in ("d", "e", "f")]
    assert sorted(ended) == sorted([grant.id, mine.id])
    assert live == [others, bobs]
    assert [each.status for each in found if each is not None] == ["denied", "approved", "approved"]
    assert await kept.claim_code(code.digest, None, now) is None
    assert (await kept.revisions())["grants"] == before + 1


async def test_a_disconnection_is_taken_back_by_its_own_time_alone(
    kept: GrantStore, ada: User, grant: Grant, now: datetime
) -> None:
    older = grant_of(ada, now)
    for each in (older, grant):
        await kept.add_grant(each)
    await kept.revoke_grant(older.id, "revoked", now)
    await kept.end_client(ada.id, CLIENT, now)
    before = (await kept.revisions())["grants"]

    taken_back = [
        await kept.restore_client("somebody else", CLIENT, now),
        await kept.restore_client(ada.id, "other", now),
        await kept.restore_client(ada.id, CLIENT, now + SECOND),
        await kept.restore_client(ada.id, CLIENT, now),
        await kept.restore_client(ada.id, CLIENT, now),
    ]

    assert taken_back == [False, False, False, True, False]
    assert await kept.find_live_grant(grant.id, now) == grant
    assert await kept.find_live_grant(older.id, now) is None
    assert (await kept.revisions())["grants"] == before + 1


async def test_what_ran_out_is_forgotten_and_what_holds_is_kept(
    kept: GrantStore, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    holds, ended = grant_of(ada, now), grant_of(ada, now, expires_at=now + MINUTE)
    for grant in (holds, ended):
        code = code_of(grant, now, grant.id)
        await kept.approve(grant.id, grant, code, now + MINUTE)
        await kept.claim_code(code.digest, refresh_of(grant, now, grant.id), now)
    async with engine.begin() as connection:
        await connection.execute(
            insert(tables.sessions),
            [
                {"digest": f"{n}", "user_id": ada.id, "signed_in_at": now, "expires_at": now + n * 2 * DAY}
                for n in range(3)
            ],
        )

    # code, token and grant; two handles; the sessions that end now and in two days
    assert await Stores(engine).drop_expired(now + 2 * DAY) == 7

    assert await kept.find_grant(ended.id) is None
    assert await kept.find_grant(holds.id) == holds
    assert await kept.find_refresh(secrets.digest(holds.id)) is not None
    assert await count(engine, tables.sessions) == 1
    assert await Stores(engine).drop_expired(now + 2 * DAY) == 0


async def test_a_code_that_nobody_used_takes_its_grant_with_it(
    kept: GrantStore, engine: AsyncEngine, grant: Grant, code: Code, now: datetime
) -> None:
    await Stores(engine).drop_expired(now)
    untouched = await kept.find_grant(grant.id)
    await Stores(engine).drop_expired(code.expires_at)
    found = await kept.find_grant(grant.id)
    await Stores(engine).drop_expired(code.expires_at + 2 * DAY)

    assert untouched == grant
    assert found is not None
    assert found.revoked_reason == "code never used"
    assert [await count(engine, table) for table in (tables.grants, tables.codes)] == [0, 0]


async def test_uses_are_written_at_most_once_a_minute(kept: GrantStore, grant: Grant, now: datetime) -> None:
    async def used(seconds: float) -> datetime | None:
        await kept.touch({grant.id: now + timedelta(seconds=seconds)})
        found = await kept.find_grant(grant.id)
        assert found is not None
        return found.last_used_at

    await kept.add_grant(grant)
    await kept.touch({})

    minute = now + timedelta(seconds=60)
    assert [await used(seconds) for seconds in (0, 59, 60)] == [now, now, minute]
