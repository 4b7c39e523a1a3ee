"""Signing in with a password: one answer for every failure, and a pause after many."""

import asyncio
from datetime import datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.endpoints.signed_in import SignedIn
from oauth.errors import AccessDenied, TooManyRequests
from oauth.flows.accounts import (
    FAILURES_OF_ACCOUNT,
    FAILURES_OF_ADDRESS,
    WINDOW,
    PasswordSignIn,
    create_user,
    disable_user,
)
from oauth.flows.external_sign_in import ReturnUrls
from oauth.grants import Identity, Session
from oauth.models import User
from oauth.primitives.sealing import Sealer
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore
from tests.oauth.delegations import session_of

pytestmark = pytest.mark.usefixtures("cheap_passwords")
PASSWORD = "correct horse battery staple"
HERE, THERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture
async def bob(store: AccountStore, now: datetime) -> User:
    return await create_user(store, "bob@example.com", PASSWORD, now)


@pytest.fixture
def sign_in(engine: AsyncEngine, store: AccountStore) -> PasswordSignIn:
    return PasswordSignIn(store, FailureStore(engine))


@pytest.fixture
def quick(engine: AsyncEngine, store: AccountStore) -> PasswordSignIn:
    """Hundreds of attempts without hundreds of hashes; what is counted is the same."""

    async def equal(password_hash: str | None, password: str) -> bool:
        return password_hash is not None and password == PASSWORD

    return PasswordSignIn(store, FailureStore(engine), equal)


async def fail(sign_in: PasswordSignIn, now: datetime, email: str = "bob@example.com", address: str = HERE) -> None:
    with pytest.raises(AccessDenied):
        await sign_in.sign_in(email, "wrong password", address, now)


@pytest.mark.slow
async def test_every_failure_is_the_same_answer(
    sign_in: PasswordSignIn, store: AccountStore, bob: User, ada: User, now: datetime
) -> None:
    await store.add_user(User("0", "elsewhere@idp.example", now))
    cases = [("bob@example.com", "wrong password"), ("nobody@example.com", PASSWORD), ("no address", PASSWORD)]
    cases += [("elsewhere@idp.example", ""), ("elsewhere@idp.example", PASSWORD), ("bob@example.com", "x" * 2000)]
    answers = set()

    for email, password in cases:
        with pytest.raises(AccessDenied) as refusal:
            await sign_in.sign_in(email, password, HERE, now)
        answers.add(str(refusal.value))
    await disable_user(store, "bob@example.com", now)
    with pytest.raises(AccessDenied) as refusal:
        await sign_in.sign_in("bob@example.com", PASSWORD, HERE, now)

    assert answers == {str(refusal.value)}


@pytest.mark.parametrize("email", ["bob@example.com", "nobody@example.com", "no address"])
async def test_an_unknown_address_costs_the_same_work(
    engine: AsyncEngine, store: AccountStore, bob: User, now: datetime, email: str
) -> None:
    asked: list[str | None] = []

    async def note(password_hash: str | None, password: str) -> bool:
        asked.append(password_hash)
        return False

    await fail(PasswordSignIn(store, FailureStore(engine), note), now, email)

    assert asked == [bob.password_hash if email == "bob@example.com" else None]


async def test_a_throttled_account_refuses_the_right_password_until_the_pause_is_over(
    quick: PasswordSignIn, bob: User, now: datetime
) -> None:
    for _ in range(FAILURES_OF_ACCOUNT):
        await fail(quick, now)

    with pytest.raises(TooManyRequests):
        await quick.sign_in("bob@example.com", PASSWORD, HERE, now + timedelta(minutes=1))
    with pytest.raises(TooManyRequests):
        await quick.sign_in(" BOB@example.com", PASSWORD, HERE, now + timedelta(minutes=1))

    assert await quick.sign_in("bob@example.com", PASSWORD, HERE, now + WINDOW) == bob


async def test_nobody_can_lock_an_account_out_from_elsewhere(quick: PasswordSignIn, bob: User, now: datetime) -> None:
    for _ in range(FAILURES_OF_ACCOUNT):
        await fail(quick, now, address=THERE)

    assert await quick.sign_in("bob@example.com", PASSWORD, HERE, now) == bob


@pytest.mark.slow
async def test_a_client_that_tries_many_accounts_is_paused_and_a_success_does_not_help_it(
    quick: PasswordSignIn, bob: User, now: datetime
) -> None:
    for number in range(FAILURES_OF_ADDRESS):
        await fail(quick, now, f"guess{number}@example.com")
        if number == FAILURES_OF_ADDRESS - 2:
            await quick.sign_in("bob@example.com", PASSWORD, HERE, now)

    with pytest.raises(TooManyRequests):
        await quick.sign_in("bob@example.com", PASSWORD, HERE, now)
    assert await quick.sign_in("bob@example.com", PASSWORD, THERE, now) == bob


async def test_of_many_guesses_at_once_no_more_than_the_limit_are_compared(
    quick: PasswordSignIn, bob: User, now: datetime
) -> None:
    guesses = (quick.sign_in("bob@example.com", "wrong password", HERE, now) for _ in range(4 * FAILURES_OF_ACCOUNT))
    outcomes = await asyncio.gather(*guesses, return_exceptions=True)

    assert sum(isinstance(outcome, AccessDenied) for outcome in outcomes) <= FAILURES_OF_ACCOUNT
    assert all(isinstance(outcome, AccessDenied | TooManyRequests) for outcome in outcomes)


async def test_a_session_is_its_accounts_until_it_ends_or_the_account_is_disabled(
    engine: AsyncEngine, store: AccountStore, ada: User, now: datetime
) -> None:
    sessions = SessionStore(engine)
    secret = await session_of(sessions, ada, now)

    found = await sessions.find_session(digest(secret), now + timedelta(hours=1))

    assert found == (Session(digest(secret), ada.id, now, now + timedelta(hours=12)), ada)
    assert await sessions.find_session(digest(secret), now + timedelta(hours=12)) is None
    await disable_user(store, ada.email, now)
    assert await sessions.find_session(digest(secret), now) is None


async def test_an_account_is_shown_by_an_address_that_was_proven(engine: AsyncEngine, ada: User, now: datetime) -> None:
    known, unknown = User("1", "0123@idp.example", now), User("2", "4567@idp.example", now)
    identities, settings = IdentityStore(engine), OAuthSettings("https://gw.example.com", frozenset())
    await identities.user_of(Identity("https://idp.example", "s1", "bob@example.com"), known, now)
    await identities.user_of(Identity("https://idp.example", "s2"), unknown, now)
    signed_in = SignedIn(SessionStore(engine), ReturnUrls(Sealer(SecretStr("a secret"))), settings)

    shown = [await signed_in.shown(user) for user in (ada, known, unknown)]

    assert shown == ["ada@example.com", "bob@example.com", "your account at idp.example"]
