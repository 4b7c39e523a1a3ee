"""What the gatehouse asks of a store, one protocol for each need.

Every method may raise `StoreUnavailable`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from oauth.models import ApiKey, OwnedKey, User


class UserStore(Protocol):
    async def add_user(self, user: User) -> None:
        """Keep a new account. Raises `Conflict` when its address is taken."""

    async def find_user(self, email: str) -> User | None:
        """The account with this folded address."""

    async def list_users(self) -> Sequence[User]:
        """All accounts by address."""

    async def set_disabled(self, user_id: str, at: datetime | None) -> None:
        """Disable the account since `at`, or enable it; its keys follow in every process.

        Disabling ends its sessions and grants for good, in the same transaction.
        """


class KeyStore(Protocol):
    async def add_key(self, key: ApiKey) -> None:
        """Keep a new key."""

    async def replace_key(self, successor: ApiKey, expires_at: datetime, now: datetime) -> None:
        """Keep the successor and let `successor.rotated_from` end at `expires_at`, both or neither.

        Raises `Conflict` when the old key has a successor already or is no longer valid at `now`.
        """

    async def revoke_key(self, key_id: str, at: datetime) -> None:
        """End the key in every process. A second revocation leaves the time of the first."""

    async def find_key(self, key_id: str) -> OwnedKey | None:
        """The key with this id."""

    async def list_keys(self, user_id: str | None = None) -> Sequence[OwnedKey]:
        """The keys of one account, or all of them, newest first."""


class KeyRing(Protocol):
    """What verification needs: the only part that a running server uses."""

    async def find_by_digest(self, digest: str) -> OwnedKey | None:
        """The key with exactly this digest."""

    async def touch(self, uses: Mapping[str, datetime]) -> None:
        """Note when the keys with these ids were used, at most once a minute for each."""

    async def revision(self) -> int:
        """A number that changes whenever something that was valid may have ceased to be."""
