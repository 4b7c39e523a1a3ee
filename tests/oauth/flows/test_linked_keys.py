"""The key of the real API: kept sealed, for one account only."""

from datetime import datetime

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Unacceptable
from oauth.flows.api_keys import Links
from oauth.models import User, Verified
from oauth.primitives import secrets
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import LinkedKeyStore
from oauth.stores.tables import linked_keys

SEALER = Sealer(SecretStr("an installation's secret"))


class Api:
    """The real internal API: it takes every key but the one that ends in 0000."""

    async def check(self, bearer: str, /) -> Verified | None:
        return None if bearer.endswith("0000") else Verified("somebody", frozenset(), "key")


@pytest.fixture
def links(engine: AsyncEngine) -> Links:
    return Links(LinkedKeyStore(engine), SEALER, Api())


async def test_a_linked_key_comes_back_and_stands_nowhere_in_the_clear(
    links: Links, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    key = secrets.new_key()
    await links.link(ada.id, f" {key}\n", now)

    found = await links.key_of(ada.id, now)
    assert found is not None
    assert found.get_secret_value() == key
    assert await links.last4(ada.id) == key[-4:]
    async with engine.connect() as connection:
        assert key[6:30] not in str((await connection.execute(select(linked_keys))).all())


async def test_a_row_that_was_given_to_another_account_does_not_open(
    links: Links, engine: AsyncEngine, ada: User, now: datetime
) -> None:
    await links.link(ada.id, secrets.new_key(), now)
    other = await Links(LinkedKeyStore(engine), Sealer(SecretStr("another secret")), Api()).key_of(ada.id, now)

    assert other is None
    async with engine.begin() as connection:
        sealed = SEALER.seal("linked key of bob", b"minds_", now)
        await connection.execute(update(linked_keys).values(sealed=sealed))
    assert await links.key_of(ada.id, now) is None


async def test_what_is_no_key_is_refused_and_not_quoted(links: Links, ada: User, now: datetime) -> None:
    with pytest.raises(Unacceptable) as refused:
        await links.link(ada.id, "hunter2", now)

    assert "hunter2" not in str(refused.value)


async def test_a_key_that_the_api_does_not_take_is_not_linked(links: Links, ada: User, now: datetime) -> None:
    with pytest.raises(Unacceptable, match="does not take"):
        await links.link(ada.id, "minds_" + "0" * 48, now)

    assert await links.last4(ada.id) is None
