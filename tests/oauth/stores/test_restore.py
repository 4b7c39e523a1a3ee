"""After a backup was restored nothing that was ever issued is accepted (FI-25)."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.flows.api_keys import create_key
from oauth.grants import Grant
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.stores import Stores

NOW = datetime(2026, 8, 1, tzinfo=UTC)


async def furnished(engine: AsyncEngine) -> tuple[Stores, str]:
    """Stores with one account, a grant and a key of it; and the key's id."""
    stores = Stores(engine)
    user = User("u1", "ada@example.com", NOW)
    await stores.accounts.add_user(user)
    made = await create_key(stores.accounts, user, name="laptop", scopes=ALL, lifetime=None, now=NOW)
    until = NOW + timedelta(days=30)
    await stores.grants.add_grant(Grant("g1", "u1", "c1", "App", None, ALL, "https://a/mcp", NOW, until))
    return stores, made.key.id


@pytest.mark.security("FI-25")
@pytest.mark.parametrize(("keys", "state"), [(True, "revoked"), (False, "active")])
async def test_everything_that_was_issued_ends_keys_only_if_some_were_revoked_since_and_every_process_is_told(
    engine: AsyncEngine, keys: bool, state: str
) -> None:
    stores, key = await furnished(engine)
    before = await stores.revisions()

    ended = await stores.end_everything(NOW, keys=keys)

    after = await stores.revisions()
    owned = await stores.accounts.find_key(key)
    assert (ended.grants, ended.keys) == (1, int(keys))
    assert all(after[name] > before[name] for name in ("grants", "signing_keys", *(["keys"] if keys else [])))
    assert owned is not None
    assert owned.state(NOW) == state
    assert await stores.signing_keys.signing_keys(NOW) == []
