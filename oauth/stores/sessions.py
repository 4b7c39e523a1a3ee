"""Who is signed in, with which passkeys, whom the identity providers know, what people allowed, and which attempts
failed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from math import ceil
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import TooManyRequests
from oauth.grants import Consent, Identity, Session
from oauth.models import Passkey, User
from oauth.primitives import secrets
from oauth.stores.base import USE_NOTED_EVERY, Store, part
from oauth.stores.tables import consents, failures, identities, passkeys, sessions, users


class SessionStore(Store):
    async def open_session(self, session: Session) -> None:
        await self.write(insert(sessions).values(asdict(session)))

    async def find_session(self, digest: str, now: datetime) -> tuple[Session, User] | None:
        """The live session with its account, unless that is disabled."""
        # One statement, so that an account that is being disabled is never seen beside its session as enabled.
        live = (sessions.c.digest == digest, sessions.c.expires_at > now, users.c.disabled_at.is_(None))
        rows = await self.read(select(users, sessions).join_from(users, sessions).where(*live))
        # Compared again here: how a database compares text is a matter of its collation.
        if not rows or not secrets.same(rows[0]["digest"], digest):
            return None
        return part(Session, sessions, rows[0]), part(User, users, rows[0])

    async def list_sessions(self, user_id: str, now: datetime) -> Sequence[Session]:
        """The live sessions of an account, the one that was seen last first."""
        live = sessions.c.user_id == user_id, sessions.c.expires_at > now
        seen = func.coalesce(sessions.c.last_seen_at, sessions.c.signed_in_at)
        query = select(sessions).where(*live).order_by(seen.desc(), sessions.c.digest)
        return [Session(**row) for row in await self.read(query)]

    async def see(self, session: Session, now: datetime) -> None:
        """Note that it is in use, at most once a minute."""
        if now - (session.last_seen_at or session.signed_in_at) >= USE_NOTED_EVERY:
            await self.write(update(sessions).where(sessions.c.digest == session.digest).values(last_seen_at=now))

    async def end_session(self, digest: str) -> None:
        await self.write(delete(sessions).where(sessions.c.digest == digest))

    async def verified_address(self, user_id: str) -> str | None:
        """The e-mail address that an identity provider vouches for: to be shown, never to be found by."""
        known = (identities.c.user_id == user_id, identities.c.email.is_not(None))
        rows = await self.read(select(identities.c.email).where(*known).order_by(identities.c.created_at))
        return str(rows[0]["email"]) if rows else None


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


class IdentityStore(Store):
    async def user_of(self, identity: Identity, new: User, now: datetime) -> User:
        """The account of this identity; `new` becomes it when the identity is seen for the first time.

        Two first sign-ins at once give one account. The identity's address is kept as it is now.
        """
        if (user := await self._known(identity)) is not None:
            return user
        try:
            known = {**asdict(identity), "user_id": new.id, "created_at": now}
            async with self.writing() as connection:
                await connection.execute(insert(users).values(asdict(new)))
                await connection.execute(insert(identities).values(known))
        except IntegrityError:
            # The same person in another tab was first; its transaction is committed, so it can be read now.
            if (user := await self._known(identity)) is None:
                raise
            return user
        return new

    async def _known(self, identity: Identity) -> User | None:
        mine = (identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
        joined = select(users, identities.c.issuer, identities.c.subject, identities.c.email.label("address"))
        rows = await self.read(joined.join(identities, identities.c.user_id == users.c.id).where(*mine))
        for row in rows:
            if (row["issuer"], row["subject"]) == (identity.issuer, identity.subject):
                if row["address"] != identity.email:
                    await self.write(update(identities).where(*mine).values(email=identity.email))
                return part(User, users, row)
        return None


class ConsentStore(Store):
    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        # Both know the same ON CONFLICT, in one class for each dialect that share no base with it.
        self._insert: Any = resolve_name(f"sqlalchemy.dialects.{engine.dialect.name}:insert")

    async def find_consent(self, user_id: str, client_id: str, redirect_host: str, now: datetime) -> Consent | None:
        query = select(consents).where(
            consents.c.user_id == user_id,
            consents.c.client_id == client_id,
            consents.c.redirect_host == redirect_host,
            consents.c.expires_at > now,
        )
        return await self._first(Consent, query)

    async def keep_consent(self, consent: Consent) -> None:
        # One statement, so that two tabs that are answered at once cannot both find nothing and both insert.
        statement = self._insert(consents).values(**asdict(consent))
        renewed = {name: statement.excluded[name] for name in ("scopes", "granted_at", "expires_at")}
        unique = consents.primary_key.columns
        await self.write(statement.on_conflict_do_update(index_elements=unique, set_=renewed))

    async def forget_consents(self, user_id: str, client_id: str) -> None:
        known = consents.c.user_id == user_id, consents.c.client_id == client_id
        await self.write(delete(consents).where(*known))


class FailureStore(Store):
    """Failed attempts, counted by a key of which only the digest is kept."""

    async def claim(self, most: Mapping[str, int], window: timedelta, now: datetime) -> Sequence[str]:
        """Count one attempt at each of these places, before it is known how it ends; what was counted, for `forgive`.

        Raises `TooManyRequests`: there were as many as `most` says at one of them. Then it is counted at none, so that
        the pause ends by itself.
        """
        places = {secrets.digest(place): times for place, times in most.items()}
        rows = [{"id": str(uuid4()), "place": place, "at": now} for place in places]
        async with self.writing() as connection:
            for place, times in sorted(places.items()):
                if connection.dialect.name == "postgresql":  # of two at once neither would see what the other counts
                    await connection.execute(select(func.pg_advisory_xact_lock(int(place[:15], 16))))
                recent = select(failures.c.at).where(failures.c.place == place, failures.c.at > now - window)
                oldest = recent.order_by(failures.c.at.desc()).offset(times - 1).limit(1)
                if (at := (await connection.execute(oldest)).scalar()) is not None:
                    raise _too_many(at + window - now)
            await connection.execute(insert(failures), rows)
        return [str(row["id"]) for row in rows]

    async def forgive(self, claimed: Sequence[str], *places: str) -> None:
        """After a success, forget what was claimed for it, and all failures at `places`."""
        at = failures.c.place.in_(map(secrets.digest, places))
        await self.write(delete(failures).where(or_(failures.c.id.in_(claimed), at)))


def _too_many(wait: timedelta) -> TooManyRequests:
    minutes = ceil(wait / timedelta(minutes=1))
    words = f"There were too many attempts. Try again in {minutes} minute{'s' * (minutes > 1)}."
    return TooManyRequests(words, ceil(wait.total_seconds()))
