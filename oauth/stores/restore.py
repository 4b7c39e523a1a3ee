"""After a backup was restored: all that was ever issued ends, because nobody knows what of it was revoked since."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, update

from oauth.stores.accounts import KEYS_REVISION
from oauth.stores.base import Store, announce
from oauth.stores.grant_tables import codes, consents, devices, grants, sessions, signing_keys
from oauth.stores.live_grants import GRANTS_REVISION
from oauth.stores.signing_keys import SIGNING_KEYS_REVISION
from oauth.stores.tables import api_keys

RESTORED = "backup restored"


@dataclass(frozen=True, slots=True)
class Ended:
    """How many of each."""

    grants: int
    sessions: int
    keys: int


class RestoreStore(Store):
    """Ends what was issued."""

    async def end_everything(self, now: datetime, *, keys: bool) -> Ended:
        """End grants with their tokens, sessions, consents, devices and signing keys; API keys by choice.

        One transaction: half of it would look like the whole.

        Raises:
            StoreUnavailable: the database gave no answer.

        """
        async with self._database.writing() as connection:
            of_grants = update(grants).where(grants.c.revoked_at.is_(None))
            ended = await connection.execute(of_grants.values(revoked_at=now, revoked_reason=RESTORED))
            signed_in = await connection.execute(delete(sessions))
            for table in (codes, consents, devices, signing_keys):
                await connection.execute(delete(table))
            revoked = 0
            if keys:
                of_keys = update(api_keys).where(api_keys.c.revoked_at.is_(None))
                revoked = (await connection.execute(of_keys.values(revoked_at=now))).rowcount
            for revision in (GRANTS_REVISION, KEYS_REVISION, SIGNING_KEYS_REVISION):
                await announce(connection, revision)
        return Ended(ended.rowcount, signed_in.rowcount, revoked)
