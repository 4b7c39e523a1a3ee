"""The signing keys in the database: the public half as it is published, the private one sealed."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from oauth.grants import SigningKey
from oauth.stores.base import Store, announce
from oauth.stores.tables import signing_keys

SIGNING_KEYS_REVISION = "signing_keys"


class SigningKeyStore(Store):
    """The key ring of access tokens."""

    async def signing_keys(self, now: datetime) -> Sequence[SigningKey]:
        """Those that are still published, the oldest first."""
        published = select(signing_keys).where(signing_keys.c.published_until > now)
        rows = await self._database.read(published.order_by(signing_keys.c.signs_from))
        return [SigningKey(**{**row, "public": json.loads(row["public"])}) for row in rows]

    async def add_signing_key(self, key: SigningKey) -> bool:
        """Keep it unless another process made one for the same span; whether it was kept."""
        row = asdict(key) | {"public": json.dumps(dict(key.public), sort_keys=True)}
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(signing_keys).values(**row))
                await announce(connection, SIGNING_KEYS_REVISION)
        except IntegrityError:
            return False
        return True

    async def drop_signing_keys(self, now: datetime) -> int:
        """Forget those that are published no more, and say how many."""
        async with self._database.writing() as connection:
            gone = await connection.execute(delete(signing_keys).where(signing_keys.c.published_until <= now))
            return gone.rowcount
