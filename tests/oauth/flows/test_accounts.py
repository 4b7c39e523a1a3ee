"""Accounts: one address, one account."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import Conflict, Unacceptable, Unknown
from oauth.flows.accounts import create_user, disable_user, enable_user, fold_email, require_user
from oauth.models import User
from oauth.primitives.passwords import password_matches
from oauth.stores.accounts import AccountStore

names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)


@given(names, names)
def test_folding_twice_is_folding_once(local: str, host: str) -> None:
    once = fold_email(f" {local}@{host}.example ")

    assert fold_email(once) == once
    assert fold_email(once.upper()) == fold_email(once.upper().lower())


@pytest.mark.parametrize(
    "email",
    ["", "@", "ada", "ada@", "@example.com", "a@b@c", "a b@c", "a\0@c", "a\n@c", "\u202ea@c", "a" * 251 + "@b.c"],
)
def test_what_is_no_address_is_refused(email: str) -> None:
    with pytest.raises(Unacceptable):
        fold_email(email)


async def test_a_new_account_can_be_found_and_knows_its_password(store: AccountStore, now: datetime) -> None:
    made = await create_user(store, "Ada@Example.com", "correct horse", now)

    found = await require_user(store, "ada@EXAMPLE.com")
    assert found == made
    assert (found.email, found.created_at, found.disabled_at) == ("ada@example.com", now, None)
    assert await password_matches(found.password_hash, "correct horse")


async def test_an_address_is_given_once(store: AccountStore, ada: User, now: datetime) -> None:
    with pytest.raises(Conflict):
        await create_user(store, "ADA@example.com", "correct horse", now)

    assert await store.list_users() == [ada]


async def test_a_disabled_account_keeps_its_first_time_until_it_is_enabled(
    store: AccountStore, ada: User, now: datetime
) -> None:
    assert await disable_user(store, ada.email, now) == replace(ada, disabled_at=now)
    assert await disable_user(store, ada.email, now + timedelta(hours=1)) == replace(ada, disabled_at=now)
    assert await enable_user(store, ada.email) == ada


async def test_nobody_cannot_be_disabled_or_enabled(store: AccountStore, now: datetime) -> None:
    with pytest.raises(Unknown):
        await disable_user(store, "nobody@example.com", now)
    with pytest.raises(Unknown):
        await enable_user(store, "nobody@example.com")
