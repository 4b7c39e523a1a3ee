"""Every store of the authorization server, on one engine: one class for each need."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.accounts import KEYS_REVISION, SIGNING_KEYS_REVISION, AccountStore, LinkedKeyStore, SigningKeyStore
from oauth.stores.base import GRANTS_REVISION, Store, announce
from oauth.stores.clients import DOCUMENT, ClientStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import ConsentStore, FailureStore, IdentityStore, PasskeyStore, SessionStore
from oauth.stores.tables import (
    api_keys,
    clients,
    codes,
    consents,
    devices,
    failures,
    grants,
    refresh_tokens,
    sessions,
    signing_keys,
    spent,
)

RESTORED, CODE_UNUSED = "backup restored", "code never used"
KEPT_AFTER_END = timedelta(days=1)
"""How long an ended grant is still known: longer than clocks of two hosts differ."""
FAILURES_KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ended:
    grants: int
    sessions: int
    keys: int


class Stores(Store):
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
        self.passkeys = PasskeyStore(engine)
        self.sessions = SessionStore(engine)
        self.signing_keys = SigningKeyStore(engine)

    async def end_everything(self, now: datetime, *, keys: bool) -> Ended:
        """After a backup was restored: end all that was ever issued, because nobody knows what was revoked since.

        Grants with their tokens, sessions, consents, devices and signing keys; API keys by choice. One
        transaction: half of it would look like the whole.
        """
        async with self.writing() as connection:
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

    async def drop_expired(self, now: datetime) -> int:
        """Forget what no request can ask for any more: codes, tokens, grants, spent handles, sessions, devices, clients
        that nobody uses, and failures, since no throttle looks back so far.
        """
        ended = now - KEPT_AFTER_END
        dead = select(grants.c.id).where(or_(grants.c.expires_at <= ended, grants.c.revoked_at <= ended))
        unused = select(codes.c.grant_id).where(codes.c.used_at.is_(None), codes.c.expires_at <= now)
        dropped = 0
        async with self.writing() as connection:
            # Nothing was ever issued under these, so no process needs to hear of it.
            await connection.execute(
                update(grants)
                .where(grants.c.id.in_(unused), grants.c.revoked_at.is_(None))
                .values(revoked_at=now, revoked_reason=CODE_UNUSED)
            )
            # A used code is kept as long as its grant: shown again, it still has to end the family.
            for table, gone in (
                (codes, codes.c.grant_id.in_(dead)),
                (refresh_tokens, or_(refresh_tokens.c.grant_id.in_(dead), refresh_tokens.c.expires_at <= now)),
                (grants, grants.c.id.in_(dead)),
                *((table, table.c.expires_at <= now) for table in (spent, sessions, devices, consents)),
                (clients, or_(clients.c.expires_at <= now, clients.c.kind == DOCUMENT)),
                (failures, failures.c.at <= now - FAILURES_KEPT),
            ):
                dropped += (await connection.execute(delete(table).where(gone))).rowcount
        return dropped
