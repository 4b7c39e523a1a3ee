"""Passkeys in the database: what an authenticator proves is compared here, in one statement."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from oauth.models import Passkey, User
from oauth.primitives import secrets
from oauth.stores.base import Store, part
from oauth.stores.tables import passkeys, users


class PasskeyStore(Store):
    async def add_passkey(self, passkey: Passkey) -> None:
        """Keep it. Raises `Conflict`: the credential is somebody's already."""
        await self.write_unique(insert(passkeys).values(asdict(passkey)), "This passkey is registered already.")

    async def list_passkeys(self, user_id: str) -> Sequence[Passkey]:
        """The passkeys of an account, oldest first."""
        mine = select(passkeys).where(passkeys.c.user_id == user_id)
        rows = await self.read(mine.order_by(passkeys.c.created_at, passkeys.c.id))
        return [Passkey(**row) for row in rows]

    async def find_passkey(self, credential_id: str) -> tuple[Passkey, User] | None:
        """The passkey with its account, unless that is disabled."""
        live = (passkeys.c.credential_id == credential_id, users.c.disabled_at.is_(None))
        rows = await self.read(select(users, passkeys).join_from(users, passkeys).where(*live))
        # Compared again here: how a database compares text is a matter of its collation.
        if not rows or not secrets.same(rows[0]["credential_id"], credential_id):
            return None
        return part(Passkey, passkeys, rows[0]), part(User, users, rows[0])

    async def use_passkey(self, passkey_id: str, sign_count: int, now: datetime) -> bool:
        """Note its use. False: the count does not go up, as where a copy was used since; or the passkey is gone.

        Authenticators that do not count say 0 each time (WebAuthn level 3, section 6.1.1).
        """
        kept = passkeys.c.sign_count
        goes_up = kept < sign_count if sign_count else kept == 0
        used = update(passkeys).where(passkeys.c.id == passkey_id, goes_up)
        return bool(await self.write(used.values(sign_count=sign_count, last_used_at=now)))

    async def remove_passkey(self, user_id: str, passkey_id: str) -> str | None:
        """Forget it; its name. None where it is none of this account's."""
        mine = (passkeys.c.id == passkey_id, passkeys.c.user_id == user_id)
        async with self.writing() as connection:
            gone = await connection.execute(delete(passkeys).where(*mine).returning(passkeys.c.name))
            name: str | None = gone.scalar()
        return name
