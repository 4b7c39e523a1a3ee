"""Sessions, identities and failures in SQLite and in PostgreSQL."""

import asyncio
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Identity
from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import IdentityStore, SessionStore

BOB = Identity("https://idp.example", "bob", "bob@example.com")


def new_user(now: datetime) -> User:
    user_id = str(uuid4())
    return User(user_id, f"{user_id}@idp.example", now)


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
