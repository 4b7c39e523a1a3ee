"""The signing keys in the database: the public half as it is published, the private one sealed."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import RowMapping, delete, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grant_tables import signing_keys
from oauth.grants import SigningKey
from oauth.stores.base import Database, announce

SIGNING_KEYS_REVISION = "signing_keys"


class SqlSigningKeyStore:
    """The signing key store of `oauth.grant_store`, on an engine that the caller owns."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._database = Database(engine)

    async def signing_keys(self, now: datetime) -> Sequence[SigningKey]:
        published = select(signing_keys).where(signing_keys.c.published_until > now)
        return [_key(row) for row in await self._database.read(published.order_by(signing_keys.c.signs_from))]

    async def add_signing_key(self, key: SigningKey) -> bool:
        row = asdict(key) | {"public": json.dumps(dict(key.public), sort_keys=True)}
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(signing_keys).values(**row))
                await announce(connection, SIGNING_KEYS_REVISION)
        except IntegrityError:
            return False
        return True

    async def drop_signing_keys(self, now: datetime) -> int:
        async with self._database.writing() as connection:
            gone = await connection.execute(delete(signing_keys).where(signing_keys.c.published_until <= now))
            return gone.rowcount

    async def signing_keys_revision(self) -> int:
        return await self._database.revision(SIGNING_KEYS_REVISION)


def _key(row: RowMapping) -> SigningKey:
    return SigningKey(**{**row, "public": json.loads(row["public"])})
