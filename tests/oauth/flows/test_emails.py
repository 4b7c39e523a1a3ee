"""An account gets another address by a link to it, or at once where no mail can be sent."""

import re
from datetime import datetime, timedelta
from urllib.parse import unquote

import pytest
from pydantic import SecretStr

from oauth.errors import Conflict, TooManyRequests, Unacceptable
from oauth.flows.accounts import create_user
from oauth.flows.emails import ASKED_BY_ACCOUNT, EmailChanges
from oauth.flows.passwords import set_password
from oauth.models import User
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import AccountStore

SITE, NEW, PASSWORD = "https://gw.example", "new@example.com", "correct horse battery staple"
SEALER = Sealer(SecretStr("a secret of this installation, long enough"))


@pytest.fixture
def mails() -> list[tuple[str, ...]]:
    return []


@pytest.fixture
def changes(store: AccountStore, mails: list[tuple[str, ...]]) -> EmailChanges:
    return EmailChanges(store, SEALER, SITE, lambda *mail: mails.append(mail))


@pytest.fixture
async def user(store: AccountStore, now: datetime) -> User:
    return await create_user(store, "old@example.com", PASSWORD, now)


def token_in(mail: tuple[str, ...]) -> str:
    found = re.search(rf"{re.escape(SITE)}/account/settings\?token=(\S+)", mail[2])
    assert found is not None
    return unquote(found[1])


async def test_a_link_to_the_new_address_changes_it_and_the_old_one_is_told(
    changes: EmailChanges, store: AccountStore, user: User, now: datetime, mails: list[tuple[str, ...]]
) -> None:
    assert not await changes.ask(user, " NEW@example.com", now)
    (link,) = mails
    assert await store.find_user(NEW) is None
    assert changes.address(user, token_in(link), now) == NEW

    await changes.confirm(user, token_in(link), now)

    changed = await store.find_user(NEW)
    assert changed is not None
    assert changed.id == user.id
    assert await store.find_user("old@example.com") is None
    assert [mail[0] for mail in mails] == [NEW, "old@example.com"]
    assert NEW in mails[1][2]


async def test_without_mail_it_changes_at_once_and_a_taken_address_is_refused(
    store: AccountStore, user: User, now: datetime
) -> None:
    changes = EmailChanges(store, SEALER, SITE, None)
    await create_user(store, "taken@example.com", PASSWORD, now)

    with pytest.raises(Conflict):
        await changes.ask(user, "taken@example.com", now)
    assert await changes.ask(user, NEW, now)

    assert await store.find_user(NEW) is not None


async def test_whether_an_address_has_an_account_is_not_told_where_mail_is_sent(
    changes: EmailChanges, store: AccountStore, user: User, now: datetime, mails: list[tuple[str, ...]]
) -> None:
    await create_user(store, "taken@example.com", PASSWORD, now)

    assert not await changes.ask(user, "taken@example.com", now)

    assert mails == []


async def test_a_link_is_good_once_for_30_minutes_and_until_the_password_changes(
    changes: EmailChanges, store: AccountStore, user: User, now: datetime, mails: list[tuple[str, ...]]
) -> None:
    bob = await create_user(store, "bob@example.com", PASSWORD, now)
    await changes.ask(user, NEW, now)
    token, late = token_in(mails[0]), now + timedelta(minutes=31)

    for asker, given, at in ((bob, token, now), (user, token, late), (user, token + "A", now), (user, "", now)):
        with pytest.raises(Unacceptable):
            await changes.confirm(asker, given, at)
    await set_password(store, user, "another password")
    changed = await store.find_user("old@example.com")
    assert changed is not None
    with pytest.raises(Unacceptable):
        await changes.confirm(changed, token, now)
    await changes.ask(changed, NEW, now)
    await changes.confirm(changed, token_in(mails[-1]), now)
    with pytest.raises(Conflict):
        await changes.confirm(changed, token_in(mails[-2]), now)  # as if it was read before


async def test_of_two_accounts_that_ask_for_one_address_one_gets_it(
    changes: EmailChanges, store: AccountStore, user: User, now: datetime, mails: list[tuple[str, ...]]
) -> None:
    bob = await create_user(store, "bob@example.com", PASSWORD, now)
    for each in (user, bob):
        await changes.ask(each, NEW, now)

    await changes.confirm(user, token_in(mails[0]), now)

    with pytest.raises(Conflict):
        await changes.confirm(bob, token_in(mails[1]), now)


@pytest.mark.parametrize("email", ["", "nobody", "a b@example.com", "old@example.com", "OLD@example.com "])
async def test_what_is_no_new_address_is_refused(
    changes: EmailChanges, user: User, now: datetime, mails: list[tuple[str, ...]], email: str
) -> None:
    with pytest.raises(Unacceptable):
        await changes.ask(user, email, now)

    assert mails == []


async def test_an_account_asks_so_often_and_no_more(changes: EmailChanges, user: User, now: datetime) -> None:
    for number in range(ASKED_BY_ACCOUNT):
        await changes.ask(user, f"new{number}@example.com", now)

    with pytest.raises(TooManyRequests):
        await changes.ask(user, NEW, now)
