"""The life of an API key: made for an account, rotated with an overlap, revoked.

Each function acts for an account that a person vouches for (an operator at the command line, a signed-in
user). None takes what a key proves (`oauth.models.Verified`), and no scope covers keys: so a key cannot mint
keys.
"""

from datetime import datetime, timedelta

from pydantic import SecretStr

from oauth.errors import ApiUnavailable, Conflict, StoreUnavailable, Unacceptable, Unknown
from oauth.models import ApiKey, NewKey, OwnedKey, User
from oauth.primitives import secrets
from oauth.primitives.sealing import Sealer, Tampered
from oauth.stores.accounts import AccountStore, LinkedKeyStore
from oauth.verifier import CredentialChecker

MAX_NAME_LENGTH = 100


async def create_key(
    store: AccountStore, user: User, *, name: str, scopes: frozenset[str], lifetime: timedelta | None, now: datetime
) -> NewKey:
    """A new key of the account; `lifetime` of None means: until it is revoked.

    Raises `Unacceptable`: the name is empty, too long or not printable, or the lifetime is not positive; `Conflict`:
    the account is disabled.
    """
    if user.disabled_at is not None:
        raise Conflict(f"The account {user.email} is disabled; enable it before it gets a key.")
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise Unacceptable(f"Give the key a name of 1 to {MAX_NAME_LENGTH} printable characters.")
    made = _mint(user.id, name, scopes, lifetime, now)
    await store.add_key(made.key)
    return made


async def rotate_key(
    store: AccountStore, key_id: str, *, overlap: timedelta, lifetime: timedelta | None, now: datetime
) -> NewKey:
    """A successor with the same owner, name and scopes; the old key works on for `overlap`, and no longer.

    Without a `lifetime` the successor lives as long as the old key was made to live.

    Raises `Unknown`: no key has that id; `Conflict`: the key is revoked, expired or rotated already, or its account is
    disabled.
    """
    owned = await require_key(store, key_id)
    if (state := owned.state(now)) != "active":
        raise Conflict(f"The key {key_id} cannot be rotated: {state}. Create a new one.")
    old = owned.key
    if lifetime is None and old.expires_at is not None:
        lifetime = old.expires_at - old.created_at
    made = _mint(old.user_id, old.name, old.scopes, lifetime, now, rotated_from=old.id)
    end = now + overlap
    await store.replace_key(made.key, end if old.expires_at is None else min(end, old.expires_at), now)
    return made


async def revoke_key(store: AccountStore, key_id: str, now: datetime) -> ApiKey:
    """End the key, in every process. Doing it twice keeps the first time. Raises `Unknown`: no key has that id."""
    await require_key(store, key_id)
    await store.revoke_key(key_id, now)
    return (await require_key(store, key_id)).key


async def require_key(store: AccountStore, key_id: str) -> OwnedKey:
    """The key with this id; something that has not the form of an id is not looked up.

    Raises `Unknown`: no key has it.
    """
    owned = await store.find_key(key_id) if secrets.KEY_ID_FORM.fullmatch(key_id) else None
    if owned is None:
        raise Unknown("No key has that id; `keys list` shows the ids.")
    return owned


def _mint(
    user_id: str,
    name: str,
    scopes: frozenset[str],
    lifetime: timedelta | None,
    now: datetime,
    rotated_from: str | None = None,
) -> NewKey:
    if lifetime is not None and lifetime <= timedelta():
        raise Unacceptable("A key must live for some time; leave the expiry out for a key that does not expire.")
    secret = secrets.new_key()
    key = ApiKey(
        id=secrets.new_key_id(),
        user_id=user_id,
        name=name,
        prefix=secret[: secrets.PREFIX_LENGTH],
        last4=secret[-secrets.SUFFIX_LENGTH :],
        digest=secrets.digest(secret),
        scopes=scopes,
        created_at=now,
        expires_at=None if lifetime is None else now + lifetime,
        rotated_from=rotated_from,
    )
    return NewKey(key, secret)


PURPOSE = "linked key of "
NO_ANSWER = "The Minds API gives no answer at the moment, so the key was not linked. Try again in a little while."


class Links:
    def __init__(self, store: LinkedKeyStore, sealer: Sealer, keys: CredentialChecker) -> None:
        """`keys` decides whether the internal API takes a key."""
        self._store, self._sealer, self._keys = store, sealer, keys

    async def link(self, user_id: str, key: str, now: datetime) -> None:
        """Keep `key` for the account, in place of an earlier one.

        Raises `Unacceptable`: it has not the form of a key, or the internal API does not take it; `ApiUnavailable`: the
        internal API could not be asked.
        """
        key = key.strip()
        if not secrets.looks_like_key(key):
            raise Unacceptable("That is no Minds API key: it begins with minds_ or aox_ and has 48 hex digits.")
        try:
            is_taken = await self._keys.check(key) is not None
        except StoreUnavailable:
            raise ApiUnavailable(NO_ANSWER) from None
        if not is_taken:
            raise Unacceptable("The Minds API does not take that key: it is mistyped, revoked or expired.")
        sealed = self._sealer.seal(PURPOSE + user_id, key.encode(), now)
        await self._store.link_key(user_id, sealed, key[-secrets.SUFFIX_LENGTH :], now)

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
