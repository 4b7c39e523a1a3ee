"""Sessions begin under a new secret, end when their time or their account does, and are shown by a proven address."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.flows.accounts import disable_user
from oauth.flows.sign_in import Sessions
from oauth.grants import Identity
from oauth.models import User
from oauth.settings import OAuthSettings
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import IdentityStore, SessionStore

SETTINGS = OAuthSettings("https://gw.example.com", frozenset())


@pytest.fixture
def sessions(engine: AsyncEngine) -> Sessions:
    return Sessions(SessionStore(engine), SETTINGS)


async def test_the_secret_of_a_session_finds_its_account(sessions: Sessions, ada: User, now: datetime) -> None:
    secret = await sessions.open(ada, now)

    found = await sessions.of(secret, now + timedelta(hours=1))

    assert found is not None
    session, user = found
    assert (session.user_id, session.signed_in_at, user) == (ada.id, now, ada)


@pytest.mark.parametrize("secret", [None, "", "x", "x" * 65, "x" * 10_000])
async def test_another_secret_finds_nobody(sessions: Sessions, ada: User, now: datetime, secret: str | None) -> None:
    await sessions.open(ada, now)

    await sessions.end(secret)

    assert await sessions.of(secret, now) is None


async def test_the_session_of_a_disabled_account_is_nobody(
    sessions: Sessions, store: AccountStore, ada: User, now: datetime
) -> None:
    secret = await sessions.open(ada, now)

    await disable_user(store, ada.email, now)

    assert await sessions.of(secret, now) is None


async def test_an_account_is_shown_by_an_address_that_was_proven(
    sessions: Sessions, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    known, unknown = User("1", "0123@idp.example", now), User("2", "4567@idp.example", now)
    identities = IdentityStore(engine)
    await identities.user_of(Identity("https://idp.example", "s1", "bob@example.com"), known, now)
    await identities.user_of(Identity("https://idp.example", "s2"), unknown, now)

    shown = [await sessions.shown(user) for user in (ada, known, unknown)]

    assert shown == ["ada@example.com", "bob@example.com", "your account at idp.example"]
