"""Access tokens before the authority: read, and then asked about, because a grant may have ended before them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.access_tokens import AccessTokens
from oauth.credentials import StoredTokens, client_subject
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.signing_keys import SigningKeys
from oauth.stores import Stores, tables
from tests.oauth.delegating import ADA, GRANT, NOW, SETTINGS, GrantsInMemory, claims, ring, signed

READ = frozenset({"sparks:read"})


@pytest.fixture
def keys() -> SigningKeys:
    return ring()


@pytest.fixture
def grants() -> GrantsInMemory:
    return GrantsInMemory(GRANT)


@pytest.fixture
def authority(keys: SigningKeys, grants: GrantsInMemory) -> StoredTokens:
    return StoredTokens(AccessTokens(keys, SETTINGS), grants, lambda: NOW)


@pytest.fixture
async def token(keys: SigningKeys) -> str:
    return (await AccessTokens(keys, SETTINGS).issue(GRANT, READ, NOW))[0]


@pytest.mark.security("RS-20")
async def test_a_token_speaks_for_its_account_with_its_scopes(authority: StoredTokens, token: str) -> None:
    assert await authority.check(token) == Verified(
        subject=ADA.id,
        scopes=READ,
        client_id=GRANT.client_id,
        kind="access_token",
        expires_at=NOW + timedelta(hours=1),
        audience=SETTINGS.resource,
    )


@pytest.mark.parametrize(
    "end",
    [
        lambda stores: stores.grants.revoke_grant(GRANT.id, "ended", NOW),
        lambda stores: stores.write(update(tables.grants).values(expires_at=NOW)),
        lambda stores: stores.accounts.set_disabled(ADA.id, NOW),
        lambda stores: stores.accounts.delete_user(ADA.id),
    ],
    ids=["revoked", "expired", "account disabled", "account gone"],
)
@pytest.mark.security("AK-04")
async def test_a_token_whose_grant_or_account_has_ended_is_refused(
    keys: SigningKeys, token: str, engine: AsyncEngine, end: Callable[[Stores], Awaitable[object]]
) -> None:
    stores = Stores(engine)
    await stores.accounts.add_user(ADA)
    await stores.grants.add_grant(GRANT)
    authority = StoredTokens(AccessTokens(keys, SETTINGS), stores.grants, lambda: NOW)
    assert await authority.check(token) is not None

    await end(stores)

    assert await authority.check(token) is None


@pytest.mark.security("RS-09")
@pytest.mark.parametrize("changed", [{"sub": "eve"}, {"client_id": "another"}, {"aud": SETTINGS.api_resource}], ids=str)
async def test_a_token_that_says_other_than_its_grant_is_refused(
    authority: StoredTokens, keys: SigningKeys, changed: dict[str, Any]
) -> None:
    assert await authority.check(await signed(keys, claims())) is not None

    assert await authority.check(await signed(keys, claims(**changed))) is None


async def test_a_client_that_acts_for_itself_has_an_account_of_its_own_and_never_a_persons(keys: SigningKeys) -> None:
    machine = replace(GRANT, id="m", user_id=None, client_id=ADA.id)
    issued, _ = await AccessTokens(keys, SETTINGS).issue(machine, READ, NOW)
    grants = GrantsInMemory(machine)

    verified = await StoredTokens(AccessTokens(keys, SETTINGS), grants, lambda: NOW).check(issued)

    assert verified is not None
    assert verified.subject == client_subject(ADA.id)
    assert verified.subject != ADA.id
    assert len(verified.subject) == 36


async def test_a_token_of_a_client_that_is_no_longer_configured_is_refused(
    keys: SigningKeys, grants: GrantsInMemory, token: str
) -> None:
    def authority(*known: str) -> StoredTokens:
        return StoredTokens(AccessTokens(keys, SETTINGS), grants, lambda: NOW, has_client=lambda it: it in known)

    assert await authority(GRANT.client_id).check(token) is not None
    assert await authority("another").check(token) is None


@pytest.mark.security("AK-06")
async def test_a_linked_key_stands_with_its_token_and_one_that_cannot_be_read_is_no_answer(
    keys: SigningKeys, grants: GrantsInMemory, token: str
) -> None:
    async def linked(user_id: str, _now: datetime) -> SecretStr | None:
        return SecretStr(f"key of {user_id}")

    async def broken(_user_id: str, _now: datetime) -> SecretStr | None:
        raise StoreUnavailable("down")

    tokens = AccessTokens(keys, SETTINGS)
    verified = await StoredTokens(tokens, grants, lambda: NOW, linked_key=linked).check(token)

    assert verified is not None
    assert verified.linked_key == SecretStr(f"key of {ADA.id}")
    with pytest.raises(StoreUnavailable):
        await StoredTokens(tokens, grants, lambda: NOW, linked_key=broken).check(token)
