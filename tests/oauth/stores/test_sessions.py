"""Sessions, identities, failures and consents in SQLite and in PostgreSQL."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Consent, Identity, Session
from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import ConsentStore, IdentityStore, SessionStore
from oauth.stores.tables import consents

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


HOST = "app.example"
READ, WRITE = "sparks:read", "sparks:write"


@pytest.fixture
def remembered(engine: AsyncEngine) -> ConsentStore:
    return ConsentStore(engine)


@pytest.fixture
def consent(ada: User, now: datetime) -> Consent:
    return Consent(ada.id, "app", HOST, frozenset({READ, WRITE}), now, now + timedelta(days=90))


async def test_the_newest_decision_takes_the_place_of_the_one_before(
    remembered: ConsentStore, consent: Consent, now: datetime
) -> None:
    narrower = replace(consent, scopes=frozenset({READ}), granted_at=now + timedelta(days=1))

    await remembered.keep_consent(consent)
    await remembered.keep_consent(narrower)

    assert await remembered.find_consent(consent.user_id, "app", HOST, now) == narrower


async def test_tabs_that_are_answered_at_once_leave_one_row(
    remembered: ConsentStore, consent: Consent, engine: AsyncEngine
) -> None:
    await asyncio.gather(*(remembered.keep_consent(consent) for _ in range(8)))

    async with engine.connect() as connection:
        assert (await connection.execute(select(func.count()).select_from(consents))).scalar_one() == 1


async def test_a_forgotten_client_is_asked_about_at_every_host_again(
    remembered: ConsentStore, consent: Consent, now: datetime
) -> None:
    await remembered.keep_consent(consent)
    await remembered.keep_consent(replace(consent, redirect_host="b.example"))
    await remembered.keep_consent(replace(consent, client_id="other"))

    await remembered.forget_consents(consent.user_id, "app")

    assert await remembered.find_consent(consent.user_id, "app", HOST, now) is None
    assert await remembered.find_consent(consent.user_id, "app", "b.example", now) is None
    assert await remembered.find_consent(consent.user_id, "other", HOST, now) is not None


async def test_sessions_are_listed_by_when_they_were_seen_and_that_is_noted_once_a_minute(
    engine: AsyncEngine, now: datetime
) -> None:
    store, user = SessionStore(engine), new_user(now)
    await AccountStore(engine).add_user(user)
    end = now + timedelta(hours=12)
    for digest, expires_at in (("older", end), ("newer", end), ("over", now)):
        begun = now - timedelta(minutes=1) if digest == "older" else now
        await store.open_session(Session(digest, user.id, begun, expires_at, browser="Firefox on Linux"))

    listed = [await store.list_sessions(user.id, now)]
    for seconds in (1, 31, 71):
        (older,) = [each for each in listed[-1] if each.digest == "older"]
        await store.see(older, now + timedelta(seconds=seconds))
        listed.append(await store.list_sessions(user.id, now))

    assert [each.digest for each in listed[0]] == ["newer", "older"]
    assert [[each.digest for each in some] for some in listed[1:]] == [["older", "newer"]] * 3
    assert [some[0].last_seen_at for some in listed[1:]] == [now + timedelta(seconds=seconds) for seconds in (1, 1, 71)]
    assert {each.browser for each in listed[0]} == {"Firefox on Linux"}
