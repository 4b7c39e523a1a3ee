"""The key of the real internal API that an account acts with, kept sealed.

A client's own token never travels upstream (design.md section 5). Towards a real Minds API the account's linked
key is shown instead; it is opened for the call and stands nowhere in the clear.
"""

from datetime import datetime

from pydantic import SecretStr

from oauth.credentials import Checker
from oauth.errors import ApiUnavailable, StoreUnavailable, Unacceptable
from oauth.primitives import secrets
from oauth.primitives.sealing import Sealer, Tampered
from oauth.stores.linked_keys import LinkedKeyStore

PURPOSE = "linked key of "
NO_ANSWER = "The Minds API gives no answer at the moment, so the key was not linked. Try again in a little while."


class Links:
    """Links, opens and unlinks."""

    def __init__(self, store: LinkedKeyStore, sealer: Sealer, keys: Checker) -> None:
        """`keys` decides whether the internal API takes a key."""
        self._store, self._sealer, self._keys = store, sealer, keys

    async def link(self, user_id: str, key: str, now: datetime) -> None:
        """Keep `key` for the account, in place of an earlier one.

        Raises:
            Unacceptable: it has not the form of a key, or the internal API does not take it.
            ApiUnavailable: the internal API could not be asked.
            StoreUnavailable: the store gave no answer.

        """
        key = key.strip()
        if not secrets.looks_like_key(key):
            raise Unacceptable("That is no Minds API key: it begins with minds_ or aox_ and has 48 hex digits.")
        if not await self._is_taken(key):
            raise Unacceptable("The Minds API does not take that key: it is mistyped, revoked or expired.")
        sealed = self._sealer.seal(PURPOSE + user_id, key.encode(), now)
        await self._store.link_key(user_id, sealed, key[-secrets.SUFFIX_LENGTH :], now)

    async def _is_taken(self, key: str) -> bool:
        try:
            return await self._keys.check(key) is not None
        except StoreUnavailable:
            raise ApiUnavailable(NO_ANSWER) from None

    async def last4(self, user_id: str) -> str | None:
        """The end of the linked key, to tell it from others; None when there is none."""
        found = await self._store.find_linked_key(user_id)
        return found[1] if found else None

    async def key_of(self, user_id: str, now: datetime) -> SecretStr | None:
        """The linked key; None when there is none, or the installation's secret has changed since."""
        found = await self._store.find_linked_key(user_id)
        if found is None:
            return None
        try:
            # Sealed for this account: a row that was copied to another account does not open.
            return SecretStr(self._sealer.open(PURPOSE + user_id, found[0], max_age=None, now=now).decode())
        except Tampered:
            return None

    async def unlink(self, user_id: str) -> None:
        await self._store.unlink_key(user_id)
