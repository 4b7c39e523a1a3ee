"""Signing in with a password: one answer for every failure, and a pause after many."""

import asyncio
from datetime import datetime, timedelta

import pytest
from argon2 import PasswordHasher
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
from oauth.primitives import turns
from oauth.primitives.sealing import Sealer
from oauth.primitives.secrets import digest
from oauth.primitives.turns import MAX_WAITING
from oauth.settings import OAuthSettings
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore
from tests.oauth.clients import UNRECORDED
from tests.oauth.delegations import session_of

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


@pytest.mark.both_databases
async def test_of_many_guesses_at_once_no_more_than_the_limit_are_compared(
    engine: AsyncEngine, store: AccountStore, bob: User, now: datetime
) -> None:
    compared = []

    async def note(password_hash: str | None, password: str) -> bool:
        compared.append(password)
        return False

    processes = [PasswordSignIn(store, FailureStore(engine), note) for _ in range(4)]
    guesses = (one.sign_in("bob@example.com", "wrong password", HERE, now) for one in processes * FAILURES_OF_ACCOUNT)
    outcomes = await asyncio.gather(*guesses, return_exceptions=True)

    assert sum(isinstance(outcome, AccessDenied) for outcome in outcomes) == FAILURES_OF_ACCOUNT
    assert sum(isinstance(outcome, TooManyRequests) for outcome in outcomes) == 3 * FAILURES_OF_ACCOUNT
    assert len(compared) == FAILURES_OF_ACCOUNT


async def test_a_success_is_no_attempt_at_its_address(quick: PasswordSignIn, bob: User, now: datetime) -> None:
    for _ in range(FAILURES_OF_ADDRESS + 1):
        await quick.sign_in("bob@example.com", PASSWORD, HERE, now)


@pytest.mark.parametrize(("later", "words"), [(0, "in 15 minutes"), (5.5, "in 10 minutes"), (14.5, "in 1 minute.")])
async def test_who_is_paused_is_told_for_how_long(
    quick: PasswordSignIn, bob: User, now: datetime, later: float, words: str
) -> None:
    for _ in range(FAILURES_OF_ACCOUNT):
        await fail(quick, now)

    at = now + timedelta(minutes=later)
    with pytest.raises(TooManyRequests, match=words) as refusal:
        await quick.sign_in("bob@example.com", PASSWORD, HERE, at)

    assert refusal.value.retry_after == (now + WINDOW - at).total_seconds()


async def test_a_hash_of_before_opens_and_is_replaced_at_the_sign_in(
    sign_in: PasswordSignIn, store: AccountStore, now: datetime
) -> None:
    before = PasswordHasher(time_cost=1, memory_cost=32, parallelism=4).hash(PASSWORD)
    await store.add_user(User("0", "old@example.com", now, before))

    user = await sign_in.sign_in("old@example.com", PASSWORD, HERE, now)
    kept = await store.find_user("old@example.com")

    assert kept == user
    assert kept.password_hash not in {None, before}
    assert await sign_in.sign_in("old@example.com", PASSWORD, HERE, now) == user


async def test_a_flood_is_answered_at_once_and_costs_the_database_nothing(
    engine: AsyncEngine, store: AccountStore, bob: User, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "GAP", 0)
    compared, go_on = [], asyncio.Event()

    async def slow(password_hash: str | None, password: str) -> bool:
        compared.append(password)
        await go_on.wait()
        return password == PASSWORD

    sign_in = PasswordSignIn(store, FailureStore(engine), slow)
    flood = [asyncio.create_task(fail(sign_in, now, f"guess{number}@example.com", THERE)) for number in range(50)]
    while not compared or sum(task.done() for task in flood) < 50 - 1 - MAX_WAITING:  # noqa: ASYNC110  the database says when
        await asyncio.sleep(0.001)
    told = sum(task.done() for task in flood)
    person = asyncio.create_task(sign_in.sign_in("bob@example.com", PASSWORD, HERE, now))
    for _ in range(5):
        await asyncio.sleep(0)
    go_on.set()

    assert told == 50 - 1 - MAX_WAITING
    assert await person == bob
    assert compared[:2] == ["wrong password", PASSWORD]
    await asyncio.gather(*flood, return_exceptions=True)


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
    signed_in = SignedIn(SessionStore(engine), ReturnUrls(Sealer(SecretStr("a secret"))), settings, UNRECORDED)

    shown = [await signed_in.shown(user) for user in (ada, known, unknown)]

    assert shown == ["ada@example.com", "bob@example.com", "your account at idp.example"]
