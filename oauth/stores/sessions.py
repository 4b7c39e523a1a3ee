"""Who is signed in, whom the identity providers know, and which attempts failed."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from oauth.grants import Identity, Session
from oauth.models import User
from oauth.primitives import secrets
from oauth.stores.base import Store
from oauth.stores.tables import failures, identities, sessions, users


class SessionStore(Store):
    """Signed-in browsers."""

    async def open_session(self, session: Session) -> None:
        """Keep a new session."""
        row = {name: getattr(session, name) for name in sessions.c.keys()}  # noqa: SIM118 - a column collection, no dict
        await self._database.write(insert(sessions).values(row))

    async def find_session(self, digest: str, now: datetime) -> tuple[Session, User] | None:
        """The live session with its account, unless that is disabled."""
        # One statement, so that an account that is being disabled is never seen beside its session as enabled.
        own = [column.label(f"session_{column.name}") for column in sessions.c]
        live = (sessions.c.digest == digest, sessions.c.expires_at > now, users.c.disabled_at.is_(None))
        query = select(users, *own).join(sessions, sessions.c.user_id == users.c.id).where(*live)
        rows = await self._database.read(query)
        # Compared again here: how a database compares text is a matter of its collation.
        if not rows or not secrets.same(rows[0]["session_digest"], digest):
            return None
        session = Session(**{column.name: rows[0][f"session_{column.name}"] for column in sessions.c})
        return session, User(**{column.name: rows[0][column.name] for column in users.c})

    async def end_session(self, digest: str) -> None:
        """Sign one browser out."""
        await self._database.write(delete(sessions).where(sessions.c.digest == digest))

    async def verified_address(self, user_id: str) -> str | None:
        """The e-mail address that an identity provider vouches for: to be shown, never to be found by."""
        known = (identities.c.user_id == user_id, identities.c.email.is_not(None))
        rows = await self._database.read(select(identities.c.email).where(*known).order_by(identities.c.created_at))
        return str(rows[0]["email"]) if rows else None


class IdentityStore(Store):
    """Accounts by their identity at a provider."""

    async def user_of(self, identity: Identity, new: User, now: datetime) -> User:
        """The account of this identity; `new` becomes it when the identity is seen for the first time.

        Two first sign-ins at once give one account. The identity's address is kept as it is now.
        """
        user = await self._known(identity)
        if user is not None:
            return user
        try:
            await self._add(identity, new, now)
        except IntegrityError:
            # The same person in another tab was first; its transaction is committed, so it can be read now.
            user = await self._known(identity)
            if user is None:
                raise
            return user
        return new

    async def _known(self, identity: Identity) -> User | None:
        mine = (identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
        joined = select(users, identities.c.issuer, identities.c.subject, identities.c.email.label("address"))
        rows = await self._database.read(joined.join(identities, identities.c.user_id == users.c.id).where(*mine))
        row = next(
            (row for row in rows if (row["issuer"], row["subject"]) == (identity.issuer, identity.subject)), None
        )
        if row is None:
            return None
        if row["address"] != identity.email:
            async with self._database.writing() as connection:
                await connection.execute(update(identities).where(*mine).values(email=identity.email))
        return User(**{column.name: row[column.name] for column in users.c})

    async def _add(self, identity: Identity, new: User, now: datetime) -> None:
        account = {column.name: getattr(new, column.name) for column in users.c}
        known: dict[str, Any] = {"issuer": identity.issuer, "subject": identity.subject, "email": identity.email}
        async with self._database.writing() as connection:
            await connection.execute(insert(users).values(account))
            await connection.execute(insert(identities).values(known | {"user_id": new.id, "created_at": now}))


class FailureStore(Store):
    """Failed attempts, counted by a key of which only the digest is kept."""

    async def note_failure(self, place: str, now: datetime) -> None:
        """Count a failed attempt at `place` (of which only the digest is kept)."""
        row = {"id": str(uuid4()), "place": secrets.digest(place), "at": now}
        await self._database.write(insert(failures).values(row))

    async def failures(self, place: str, since: datetime) -> int:
        """How many there were."""
        noted = (failures.c.place == secrets.digest(place), failures.c.at > since)
        rows = await self._database.read(select(func.count().label("count")).select_from(failures).where(*noted))
        return int(rows[0]["count"])

    async def forgive(self, place: str) -> None:
        """Forget them, after a success."""
        await self._database.write(delete(failures).where(failures.c.place == secrets.digest(place)))

    async def drop_failures(self, before: datetime) -> int:
        """Forget all that are older, and say how many: no throttle looks back so far."""
        return await self._database.write(delete(failures).where(failures.c.at <= before))
