"""A new password ends the browsers of the old one; a link sets one password, and tells nobody who has an account."""

import asyncio
from datetime import datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Conflict, TooManyRequests, Unacceptable
from oauth.flows.accounts import create_user, disable_user, enable_user, require_user
from oauth.flows.passwords import LIFETIME, LINKS_OF_ACCOUNT, LINKS_OF_ADDRESS, PasswordLinks, set_password
from oauth.models import User
from oauth.primitives.passwords import password_matches
from oauth.primitives.sealing import Sealer, Tampered
from oauth.primitives.secrets import digest
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import SessionStore
from tests.oauth.delegations import session_of

BOB, SITE, SECRET = "bob@example.com", "https://gw.example.com", SecretStr("an installation's secret")
OLD, NEW = "correct horse battery", "staple and another word"


@pytest.fixture
async def bob(store: AccountStore, now: datetime) -> User:
    return await create_user(store, BOB, OLD, now)


@pytest.fixture
def sent() -> list[tuple[str, ...]]:
    return []


@pytest.fixture
def links(store: AccountStore, sent: list[tuple[str, ...]]) -> PasswordLinks:
    return PasswordLinks(store, Sealer(SECRET), SITE, lambda *mail: sent.append(mail))


def token_in(link: str) -> str:
    return link.split("?token=")[1]


async def test_a_new_password_ends_every_session_but_the_one_that_set_it(
    engine: AsyncEngine, store: AccountStore, bob: User, now: datetime
) -> None:
    sessions = SessionStore(engine)
    here, there = await session_of(sessions, bob, now), await session_of(sessions, bob, now)

    await set_password(store, bob, NEW, keep=digest(here))

    changed = await require_user(store, BOB)
    assert await password_matches(changed.password_hash, NEW)
    assert await sessions.find_session(digest(here), now) is not None
    assert await sessions.find_session(digest(there), now) is None
    with pytest.raises(Unacceptable):
        await set_password(store, changed, "short")
    await set_password(store, changed, OLD)
    assert await sessions.find_session(digest(here), now) is None


async def test_a_password_is_never_given_to_who_signs_in_elsewhere(
    store: AccountStore, links: PasswordLinks, now: datetime
) -> None:
    elsewhere = User("0", "elsewhere@idp.example", now)
    await store.add_user(elsewhere)

    with pytest.raises(Conflict):
        await set_password(store, elsewhere, NEW)
    with pytest.raises(Conflict):
        links.make(elsewhere, now)


async def test_a_link_is_good_for_one_password_in_its_time(
    store: AccountStore, links: PasswordLinks, bob: User, now: datetime
) -> None:
    token, other = token_in(links.make(bob, now)), token_in(links.make(bob, now))

    owner = await links.owner(token, now + LIFETIME)
    assert owner == bob
    with pytest.raises(Tampered):
        await links.owner(token, now + LIFETIME + timedelta(milliseconds=1))
    outcomes = await asyncio.gather(
        *(set_password(store, owner, f"{NEW} {number}") for number in range(4)), return_exceptions=True
    )

    assert [type(outcome) for outcome in outcomes if outcome is not None] == [Conflict] * 3
    for dead in (token, other):
        with pytest.raises(Tampered):
            await links.owner(dead, now)


@pytest.mark.parametrize("token", ["", "x", "ä", "a" * 200])
async def test_what_is_no_link_of_ours_opens_nothing(
    links: PasswordLinks, bob: User, now: datetime, token: str
) -> None:
    foreign = PasswordLinks(links.users, Sealer(SecretStr("another")), SITE)
    for forged in (token, token_in(foreign.make(bob, now)), Sealer(SECRET).seal("request", b"x bob@example.com", now)):
        with pytest.raises(Tampered):
            await links.owner(forged, now)


async def test_the_link_of_a_disabled_account_is_dead(
    store: AccountStore, links: PasswordLinks, bob: User, now: datetime
) -> None:
    token = token_in(links.make(bob, now))
    disabled = await disable_user(store, BOB, now)

    with pytest.raises(Tampered):
        await links.owner(token, now)
    with pytest.raises(Conflict):
        links.make(disabled, now)
    await enable_user(store, BOB)
    assert (await links.owner(token, now)).id == bob.id


async def test_a_link_is_mailed_to_who_has_an_account_and_nobody_hears_who_has(
    store: AccountStore, links: PasswordLinks, bob: User, sent: list[tuple[str, ...]], now: datetime
) -> None:
    await store.add_user(User("0", "elsewhere@idp.example", now))

    for email in ("nobody@example.com", "no address", "elsewhere@idp.example"):
        assert await links.send(email, "192.0.2.1", now) is None
    assert sent == []
    assert await links.send(" Bob@Example.com", "192.0.2.1", now) == bob

    ((to, _subject, text),) = sent
    (link,) = [line for line in text.splitlines() if line.startswith(SITE)]
    assert to == BOB
    assert await links.owner(token_in(link), now) == bob


async def test_nobody_is_flooded_with_mail_and_no_network_asks_without_end(
    links: PasswordLinks, bob: User, sent: list[tuple[str, ...]], now: datetime
) -> None:
    for number in range(LINKS_OF_ACCOUNT + 3):
        await links.send(BOB, f"192.0.2.{number}", now)
    assert len(sent) == LINKS_OF_ACCOUNT

    for number in range(LINKS_OF_ADDRESS):
        await links.send(f"guess{number}@example.com", "198.51.100.1", now)
    with pytest.raises(TooManyRequests):
        await links.send(BOB, "198.51.100.1", now)
    await links.send("carol@example.com", "198.51.100.2", now)
