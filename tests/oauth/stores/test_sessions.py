"""Sessions, identities and failures in SQLite and in PostgreSQL."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Identity, Session
from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore

BOB = Identity("https://idp.example", "bob", "bob@example.com")
MINUTE = timedelta(minutes=1)


def new_user(now: datetime) -> User:
    user_id = str(uuid4())
    return User(user_id, f"{user_id}@idp.example", now)


async def test_a_session_is_found_by_its_whole_digest(engine: AsyncEngine, ada: User, now: datetime) -> None:
    store, session = SessionStore(engine), Session("d" * 64, ada.id, now, now + MINUTE)
    await store.open_session(session)

    assert await store.find_session("d" * 64, now) == (session, ada)
    assert await store.find_session("D" * 64, now) is None
    assert await store.find_session("d" * 63 + "%", now) is None


async def test_issuer_and_subject_together_are_the_identity(engine: AsyncEngine, now: datetime) -> None:
    store = IdentityStore(engine)
    others = [replace(BOB, issuer="https://other.example"), replace(BOB, subject="BOB"), replace(BOB, subject="bo")]

    accounts = [await store.user_of(identity, new_user(now), now) for identity in (BOB, *others)]

    assert len({account.id for account in accounts}) == 4


async def test_two_first_sign_ins_at_once_give_one_account(engine: AsyncEngine, now: datetime) -> None:
    store = IdentityStore(engine)

    accounts = await asyncio.gather(*(store.user_of(BOB, new_user(now), now) for _ in range(8)))

    assert len({account.id for account in accounts}) == 1
    assert len(await AccountStore(engine).list_users()) == 1


async def test_the_address_of_an_identity_follows_the_provider(engine: AsyncEngine, now: datetime) -> None:
    store, sessions = IdentityStore(engine), SessionStore(engine)
    user = await store.user_of(BOB, new_user(now), now)

    await store.user_of(replace(BOB, email="robert@example.com"), new_user(now), now)
    moved = await sessions.verified_address(user.id)
    await store.user_of(replace(BOB, email=None), new_user(now), now)

    assert moved == "robert@example.com"
    assert await sessions.verified_address(user.id) is None


async def test_failures_are_counted_by_place_and_time(engine: AsyncEngine, now: datetime) -> None:
    store = FailureStore(engine)
    for place, at in (("a", now - 2 * MINUTE), ("a", now), ("b", now)):
        await store.note_failure(place, at)

    assert await store.failures("a", now - MINUTE) == 1
    assert await store.failures("a", now - 3 * MINUTE) == 2
    assert await store.failures("c", now - MINUTE) == 0
