"""Every store on one engine, by its need."""

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.clients import SqlClientStore
from oauth.stores.consents import SqlConsents
from oauth.stores.devices import SqlDevices
from oauth.stores.grant_ring import SqlGrantRing
from oauth.stores.grants import SqlGrants
from oauth.stores.linked_keys import LinkedKeys
from oauth.stores.restoring import Restoring
from oauth.stores.sessions import SqlFailures, SqlIdentities, SqlSessions
from oauth.stores.signing_keys import SqlSigningKeyStore
from oauth.stores.sql import SqlStore


class Stores:
    """One engine, seen by each need."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.accounts = SqlStore(engine)
        self.clients = SqlClientStore(engine)
        self.consents = SqlConsents(engine)
        self.devices = SqlDevices(engine)
        self.failures = SqlFailures(engine)
        self.grant_ring = SqlGrantRing(engine)
        self.grants = SqlGrants(engine)
        self.identities = SqlIdentities(engine)
        self.linked_keys = LinkedKeys(engine)
        self.restoring = Restoring(engine)
        self.sessions = SqlSessions(engine)
        self.signing_keys = SqlSigningKeyStore(engine)
