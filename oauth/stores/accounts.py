"""Accounts and keys in the database: one set of statements for SQLite and PostgreSQL."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from oauth.errors import Conflict
from oauth.grants import SigningKey
from oauth.models import ApiKey, OwnedKey, User
from oauth.stores.base import GRANTS_REVISION, Store, announce, end_grants, lasting, part
from oauth.stores.tables import api_keys, devices, grants, linked_keys, metadata, sessions, signing_keys, users

KEYS_REVISION, SIGNING_KEYS_REVISION = "keys", "signing_keys"
USER_DISABLED = "account disabled"
MAY_BE_TAKEN_BACK = timedelta(minutes=1)
"""Longer than anybody may take a revocation back."""


class AccountStore(Store):
    used = api_keys

    async def add_user(self, user: User) -> None:
        """Keep a new account. Raises `Conflict` when its address is taken."""
        taken = f"There is an account with the address {user.email} already."
        await self.write_unique(insert(users).values(**asdict(user)), taken)

    async def find_user(self, email: str) -> User | None:
        return await self._first(User, select(users).where(users.c.email == email))

    async def is_enabled(self, user_id: str) -> bool:
        """Whether there is such an account, and it is not disabled."""
        return bool(await self.read(select(users.c.id).where(users.c.id == user_id, users.c.disabled_at.is_(None))))

    async def list_users(self) -> Sequence[User]:
        return [User(**row) for row in await self.read(select(users).order_by(users.c.email))]

    async def renew_hash(self, user: User, before: str) -> None:
        """Keep the account's new hash of the same password, unless the password was changed since `before` was read."""
        same = users.c.id == user.id, users.c.password_hash == before
        await self.write(update(users).where(*same).values(password_hash=user.password_hash))

    async def set_email(self, user: User, email: str) -> None:
        """Replace the address that `user` was read with. Raises `Conflict`: it is taken, or the account was changed."""
        this = users.c.id == user.id, users.c.email == user.email, users.c.password_hash == user.password_hash
        taken = "There is an account with that address already."
        if not await self.write_unique(update(users).where(*this).values(email=email), taken):
            raise Conflict("The account was changed a moment ago. Load the page again.")

    async def set_disabled(self, user_id: str, at: datetime | None) -> None:
        """Disable the account since `at`, or enable it; its keys follow in every process.

        Disabling ends its sessions and grants for good, in the same transaction.
        """
        this = users.c.id == user_id
        async with self.writing() as connection:
            since = (await connection.execute(select(users.c.disabled_at).where(this))).scalar_one_or_none()
            await connection.execute(update(users).where(this).values(disabled_at=at))
            # When it is enabled, too: a request that read the account just before may have begun something since.
            ended = at or since
            if ended is not None:
                # For good: whoever had got hold of it must not get it back. The locks are taken in the order that
                # `oauth.stores.grants` keeps: devices, grants, revision.
                await connection.execute(delete(sessions).where(sessions.c.user_id == user_id))
                let_in = (devices.c.user_id == user_id, devices.c.status == "approved")
                await connection.execute(update(devices).where(*let_in).values(status="denied"))
                await end_grants(connection, USER_DISABLED, ended, grants.c.user_id == user_id)
            await announce(connection, KEYS_REVISION)

    async def set_password(self, user: User, password_hash: str, keep: str | None) -> None:
        """Replace the one that `user` was read with, and end its sessions but the one with the digest `keep`.

        Raises `Conflict`: somebody else was first; of two uses of one link, one sets the password.
        """
        this = users.c.id == user.id, users.c.password_hash == user.password_hash
        async with self.writing() as connection:
            changed = await connection.execute(update(users).where(*this).values(password_hash=password_hash))
            if not changed.rowcount:
                raise Conflict("The password was changed a moment ago.")
            others = sessions.c.user_id == user.id, sessions.c.digest != (keep or "")
            await connection.execute(delete(sessions).where(*others))

    async def delete_user(self, user_id: str) -> None:
        """Forget a disabled account and all that is kept of it here, in every process.

        Raises `Conflict`: a request that began before it was disabled has added something meanwhile.
        """
        held = select(grants.c.id).where(grants.c.user_id == user_id)
        try:
            async with self.writing() as connection:
                for table in reversed(metadata.sorted_tables):  # what refers to a row goes before it
                    if "grant_id" in table.c:
                        await connection.execute(delete(table).where(table.c.grant_id.in_(held)))
                    elif "user_id" in table.c:
                        await connection.execute(delete(table).where(table.c.user_id == user_id))
                await connection.execute(delete(users).where(users.c.id == user_id))
                for revision in (GRANTS_REVISION, KEYS_REVISION):
                    await announce(connection, revision)
        except IntegrityError:
            raise Conflict("The account was still in use; it is disabled now. Try again.") from None

    async def add_key(self, key: ApiKey) -> None:
        await self.write(insert(api_keys).values(**asdict(key)))

    async def replace_key(self, successor: ApiKey, expires_at: datetime, now: datetime) -> None:
        """Keep the successor and let `successor.rotated_from` end at `expires_at`, both or neither.

        Raises `Conflict` when the old key has a successor already or is no longer valid at `now`.
        """
        try:
            async with self.writing() as connection:
                ended = await connection.execute(
                    update(api_keys)
                    .where(api_keys.c.id == successor.rotated_from, *lasting(api_keys, now))
                    .values(expires_at=expires_at)
                )
                if not ended.rowcount:
                    raise Conflict(f"The key {successor.rotated_from} is no longer valid; create a new one.")
                await connection.execute(insert(api_keys).values(**asdict(successor)))
                await announce(connection, KEYS_REVISION)
        except IntegrityError:
            raise Conflict(f"The key {successor.rotated_from} was rotated already; rotate its successor.") from None

    async def revoke_key(self, key_id: str, at: datetime) -> None:
        """End the key in every process. A second revocation leaves the time of the first.

        But for one within the minute: by its own time it stands, even if somebody takes the first one back.
        """
        fresh = or_(api_keys.c.revoked_at.is_(None), api_keys.c.revoked_at > at - MAY_BE_TAKEN_BACK)
        async with self.writing() as connection:
            await connection.execute(update(api_keys).where(api_keys.c.id == key_id, fresh).values(revoked_at=at))
            await announce(connection, KEYS_REVISION)

    async def restore_key(self, user_id: str, key_id: str, revoked_at: datetime) -> bool:
        """Take back the revocation of this very time, in every process; False where there is none."""
        this = api_keys.c.id == key_id, api_keys.c.user_id == user_id, api_keys.c.revoked_at == revoked_at
        return bool(await self.write(update(api_keys).where(*this).values(revoked_at=None), KEYS_REVISION))

    async def find_key(self, key_id: str) -> OwnedKey | None:
        return next(iter(await self._owned(api_keys.c.id == key_id)), None)

    async def list_keys(self, user_id: str | None = None) -> Sequence[OwnedKey]:
        """The keys of one account, or all of them, newest first."""
        return await self._owned(*([] if user_id is None else [api_keys.c.user_id == user_id]))

    async def find_by_digest(self, digest: str) -> OwnedKey | None:
        return next(iter(await self._owned(api_keys.c.digest == digest)), None)

    async def _owned(self, *which: ColumnElement[bool]) -> Sequence[OwnedKey]:
        owned = select(api_keys, users).join(users, users.c.id == api_keys.c.user_id).where(*which)
        rows = await self.read(owned.order_by(api_keys.c.created_at.desc(), api_keys.c.id))
        return [OwnedKey(part(ApiKey, api_keys, row), part(User, users, row)) for row in rows]


class LinkedKeyStore(Store):
    """The key of a real internal API that each account has linked."""

    async def link_key(self, user_id: str, sealed: str, last4: str, now: datetime) -> None:
        """Keep the sealed key of the internal API in place of an earlier one."""
        async with self.writing() as connection:
            await connection.execute(delete(linked_keys).where(linked_keys.c.user_id == user_id))
            await connection.execute(
                insert(linked_keys).values(user_id=user_id, sealed=sealed, last4=last4, created_at=now)
            )
            await announce(connection, KEYS_REVISION)

    async def find_linked_key(self, user_id: str) -> tuple[str, str] | None:
        query = select(linked_keys.c.sealed, linked_keys.c.last4).where(linked_keys.c.user_id == user_id)
        rows = await self.read(query)
        return (rows[0]["sealed"], rows[0]["last4"]) if rows else None

    async def unlink_key(self, user_id: str) -> None:
        await self.write(delete(linked_keys).where(linked_keys.c.user_id == user_id), KEYS_REVISION)


class SigningKeyStore(Store):
    """The key ring of access tokens: the public half as it is published, the private one sealed."""

    async def signing_keys(self, now: datetime) -> Sequence[SigningKey]:
        published = select(signing_keys).where(signing_keys.c.published_until > now)
        rows = await self.read(published.order_by(signing_keys.c.signs_from))
        return [SigningKey(**{**row, "public": json.loads(row["public"])}) for row in rows]

    async def add_signing_key(self, key: SigningKey) -> bool:
        """Keep it unless another process made one for the same span; whether it was kept."""
        row = asdict(key) | {"public": json.dumps(dict(key.public), sort_keys=True)}
        try:
            return bool(await self.write(insert(signing_keys).values(**row), SIGNING_KEYS_REVISION))
        except IntegrityError:
            return False

    async def drop_signing_keys(self, now: datetime) -> int:
        return await self.write(delete(signing_keys).where(signing_keys.c.published_until <= now))
