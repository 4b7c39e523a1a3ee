"""What verification reads of the grants, on both databases."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.flows.accounts import disable_user
from oauth.grants import Grant
from oauth.models import User
from oauth.stores.accounts import AccountStore
from oauth.stores.grants import GrantStore
from tests.oauth.delegating import GRANT, keep_grant


@pytest.fixture
def ring(engine: AsyncEngine) -> GrantStore:
    return GrantStore(engine)


@pytest.fixture
async def grant(engine: AsyncEngine, ada: User) -> Grant:
    grant = replace(GRANT, user_id=ada.id)
    await keep_grant(engine, grant)
    return grant


async def test_a_disabled_account_comes_as_disabled(
    ring: GrantStore, grant: Grant, ada: User, store: AccountStore, now: datetime
) -> None:
    await disable_user(store, ada.email, now)

    owned = await ring.find_owned_grant(grant.id)

    assert owned is not None
    assert not owned.is_live(now)


async def test_the_grant_of_a_client_that_acts_for_itself_has_no_account(
    ring: GrantStore, engine: AsyncEngine, now: datetime
) -> None:
    alone = replace(GRANT, id="alone", user_id=None)
    await keep_grant(engine, alone)

    owned = await ring.find_owned_grant("alone")

    assert owned is not None
    assert (owned.grant, owned.user, owned.is_live(now)) == (alone, None, True)


async def test_uses_are_written_at_most_once_a_minute(ring: GrantStore, grant: Grant, now: datetime) -> None:
    async def used(seconds: float) -> datetime | None:
        await ring.touch_grants({grant.id: now + timedelta(seconds=seconds)})
        owned = await ring.find_owned_grant(grant.id)
        assert owned is not None
        return owned.grant.last_used_at

    await ring.touch_grants({})

    minute = now + timedelta(seconds=60)
    assert [await used(seconds) for seconds in (0, 59, 60)] == [now, now, minute]
