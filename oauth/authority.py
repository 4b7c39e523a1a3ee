"""The embedded accounts as the authority on keys."""

from collections.abc import Callable
from datetime import datetime

from oauth import secrets
from oauth.clock import utc_now
from oauth.models import OwnedKey, Verified
from oauth.store import KeyRing


class StoredKeys:
    """Looks keys up by digest, and remembers which were used until `note_uses` writes it down."""

    def __init__(self, ring: KeyRing, now: Callable[[], datetime] = utc_now) -> None:
        self._ring = ring
        self._now = now
        self._uses: dict[str, datetime] = {}

    async def check(self, key: str) -> Verified | None:
        """Who the key belongs to, now.

        Raises:
            StoreUnavailable: the database gave no answer.

        """
        if not secrets.looks_like_key(key) or secrets.is_misspelt(key):
            return None
        digest = secrets.digest(key)
        owned = await self._ring.find_by_digest(digest)
        # Compared again here: how a database compares text is a matter of its collation.
        if owned is None or not secrets.same(owned.key.digest, digest) or owned.state(self._now()) != "active":
            return None
        self._uses[owned.key.id] = self._now()
        return _verified(owned)

    async def revision(self) -> int:
        """Changes whenever an earlier answer may have ceased to hold."""
        return await self._ring.revision()

    async def note_uses(self) -> None:
        """Write down the uses since the last time. What could not be written is kept for the next.

        Raises:
            StoreUnavailable: the database gave no answer.

        """
        uses = dict(self._uses)
        await self._ring.touch(uses)
        self._uses = {key_id: at for key_id, at in self._uses.items() if uses.get(key_id) != at}


def _verified(owned: OwnedKey) -> Verified:
    return Verified(
        subject=owned.user.id,
        scopes=owned.key.scopes,
        client_id=owned.key.id,
        expires_at=owned.key.expires_at,
    )
