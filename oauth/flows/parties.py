"""What the flows need of each other, so that each can be read and tested alone."""

from datetime import datetime
from typing import Protocol

from oauth.grants import Client, Grant


class Noter(Protocol):
    """Remembers what happened in whose name."""

    def note(
        self,
        user_id: str | None,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        """It happened now, in nobody's name without `user_id`. `client_name` is how a person was shown the client."""


class ClientFinder(Protocol):
    """Configured, registered and document clients behind one question."""

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client of this id; `place` is the address of who asks, for the limit on fetches of documents.

        Raises:
            InvalidClient: there is none, or it is revoked or expired.
            TemporarilyUnavailable: its metadata document cannot be read now.
            StoreUnavailable: the store gave no answer.

        """


class KnownClientFinder(ClientFinder, Protocol):
    """And those that have tokens already."""

    async def find_known(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The same, but a document whose host cannot be reached is taken as it was read last, for longer."""


class TokenIssuer(Protocol):
    """Signs access tokens."""

    async def issue(self, grant: Grant, scopes: frozenset[str], now: datetime) -> tuple[str, int]:
        """A token of this grant with these scopes, and the seconds for which it is valid."""
