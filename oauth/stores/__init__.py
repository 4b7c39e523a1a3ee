"""Every store of the authorization server, on one engine: one class for each need."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.accounts import KEYS_REVISION, AccountStore, LinkedKeyStore
from oauth.stores.base import Store, announce
from oauth.stores.clients import ClientStore
from oauth.stores.consents import ConsentStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.live_grants import GRANTS_REVISION, LiveGrantStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore
from oauth.stores.signing_keys import SIGNING_KEYS_REVISION, SigningKeyStore
from oauth.stores.tables import api_keys, codes, consents, devices, grants, sessions, signing_keys

RESTORED = "backup restored"


@dataclass(frozen=True, slots=True)
class Ended:
    """How many of each were ended."""

    grants: int
    sessions: int
    keys: int


class Stores(Store):
    """One engine, seen by each need."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self.accounts = AccountStore(engine)
        self.clients = ClientStore(engine)
        self.consents = ConsentStore(engine)
        self.devices = DeviceStore(engine)
        self.failures = FailureStore(engine)
        self.grants = GrantStore(engine)
        self.identities = IdentityStore(engine)
        self.linked_keys = LinkedKeyStore(engine)
        self.live_grants = LiveGrantStore(engine)
        self.sessions = SessionStore(engine)
        self.signing_keys = SigningKeyStore(engine)

    async def end_everything(self, now: datetime, *, keys: bool) -> Ended:
        """After a backup was restored: end all that was ever issued, because nobody knows what was revoked since.

        Grants with their tokens, sessions, consents, devices and signing keys; API keys by choice. One
        transaction: half of it would look like the whole.
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
