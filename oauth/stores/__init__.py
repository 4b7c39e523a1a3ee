"""Every store of the authorization server, on one engine: one class for each need."""

from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.accounts import AccountStore
from oauth.stores.clients import ClientStore
from oauth.stores.consents import ConsentStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.linked_keys import LinkedKeyStore
from oauth.stores.live_grants import LiveGrantStore
from oauth.stores.restore import RestoreStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore
from oauth.stores.signing_keys import SigningKeyStore


class Stores:
    """One engine, seen by each need."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.accounts = AccountStore(engine)
        self.clients = ClientStore(engine)
        self.consents = ConsentStore(engine)
        self.devices = DeviceStore(engine)
        self.failures = FailureStore(engine)
        self.grant_ring = LiveGrantStore(engine)
        self.grants = GrantStore(engine)
        self.identities = IdentityStore(engine)
        self.linked_keys = LinkedKeyStore(engine)
        self.restoring = RestoreStore(engine)
        self.sessions = SessionStore(engine)
        self.signing_keys = SigningKeyStore(engine)
