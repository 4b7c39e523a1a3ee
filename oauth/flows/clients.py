"""Every client behind one question, whoever vouches for it."""

import re
from collections.abc import Sequence
from datetime import datetime

from oauth.errors import InvalidClient
from oauth.flows.client_documents import ClientDocuments
from oauth.flows.configured_clients import configured_clients
from oauth.grants import Client
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

REGISTERED_FORM = re.compile(r"client_[0-9a-f]{32}")


class Clients:
    """The `ClientFinder` over configured, registered and self-describing clients."""

    def __init__(
        self, store: ClientStore, documents: ClientDocuments, settings: OAuthSettings, built_in: Sequence[Client] = ()
    ) -> None:
        """Read the configured ones; the `built_in` are as good as these, and an operator may replace them.

        Raises:
            Unacceptable: one of them breaks a rule.

        """
        self._configured = {client.id: client for client in built_in} | configured_clients(settings)
        self._store, self._documents = store, documents

    def has(self, client_id: str) -> bool:
        """Whether there can be a client of this id: one that was only ever configured ends with its entry."""
        return client_id in self._configured or _is_address(client_id) or bool(REGISTERED_FORM.fullmatch(client_id))

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client of this id; `place` is the address of who asks, for the limit on fetches.

        Raises:
            InvalidClient: there is none, or it is revoked or expired.
            TemporarilyUnavailable: its metadata document cannot be read now.
            TooManyRequests: too many documents are asked for.
            StoreUnavailable: the store gave no answer.

        """
        if client_id in self._configured:
            return self._configured[client_id]
        if _is_address(client_id):
            return await self._documents.find(client_id, now, place)
        # What has not the form of an id of ours is not looked up: a database need not see what strangers make up.
        found = await self._store.find_client(client_id, now) if REGISTERED_FORM.fullmatch(client_id) else None
        if found is None:
            raise InvalidClient("No client has this client_id. Register again, and begin anew.")
        return found

    async def find_known(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client of this id, for what it does with a grant that it has.

        A metadata document whose host cannot be reached is taken as it was read last, for longer than `find` does:
        an outage there ends nobody's session.

        Raises:
            As `find` does.

        """
        if client_id not in self._configured and _is_address(client_id):
            return await self._documents.find_known(client_id, now, place)
        return await self.find(client_id, now, place)


def _is_address(client_id: str) -> bool:
    return client_id.startswith(("https://", "http://"))
