"""Grants, codes and refresh tokens in the database: what may happen once is decided by one conditional UPDATE.

Transactions lock in one order (code, token or device, then grant, then revision), so that none wait in a circle.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from oauth.grants import Code, Grant, RefreshToken, Replayed, Reused
from oauth.primitives import secrets
from oauth.stores.base import GRANTS_REVISION, Store, end_grants
from oauth.stores.tables import codes, devices, grants, refresh_tokens, spent, users

CODE_REUSED, TOKEN_REUSED = "code reused", "refresh token reused"
CODE_BURNT = "code without its proof"
DISCONNECTED = "disconnected"


class GrantStore(Store):
    """Grants with their codes and refresh tokens, and the handles that are used once."""

    used = grants

    async def spend(self, handle: str, until: datetime) -> bool:
        """Whether this is the first use of `handle`; atomically, in all processes. Only its digest is kept."""
        async with self.writing() as connection:
            return await _first_use(connection, handle, until)

    async def is_spent(self, handle: str) -> bool:
        """Whether it was used before, without using it: for what is shown, never for what is decided."""
        return bool(await self.read(select(spent.c.digest).where(spent.c.digest == secrets.digest(handle))))

    async def approve(self, request_id: str, grant: Grant, code: Code, until: datetime) -> bool:
        """Keep grant and code, unless the request was spent before: then nothing, and False."""
        async with self.writing() as connection:
            if not await _first_use(connection, request_id, until):
                return False
            await connection.execute(insert(grants).values(**asdict(grant)))
            await connection.execute(insert(codes).values(**asdict(code)))
            return True

    async def add_grant(self, grant: Grant, refresh: RefreshToken | None = None) -> None:
        async with self.writing() as connection:
            await connection.execute(insert(grants).values(**asdict(grant)))
            await _add_refresh(connection, refresh)

    async def find_code(self, digest: str) -> Code | None:
        """The code, whether used or not; it is not claimed."""
        kept = [column for column in codes.c if column.name != "used_at"]
        return await self._first(Code, select(*kept).where(codes.c.digest == digest))

    async def claim_code(self, digest: str, refresh: RefreshToken | None, now: datetime) -> Grant | Reused | None:
        """Use the code up and keep the first refresh token of its family, atomically: of ten at once, one wins.

        None when there is no live code of this digest. A second use revokes the family; once that has ended, by
        this or otherwise, a further use is None too: there is nothing left to end, and nothing new to tell.
        """
        unused = update(codes).where(
            codes.c.digest == digest,
            codes.c.used_at.is_(None),
            codes.c.expires_at > now,
            codes.c.grant_id.in_(_live(now)),
        )
        async with self.writing() as connection:
            # The database lets one transaction at a time change the row; the second finds it used, on a fresh look.
            if (await connection.execute(unused.values(used_at=now))).rowcount:
                await _add_refresh(connection, refresh)
                return await _grant_of(connection, codes, digest)
            used = await _grant_of(connection, codes, digest, codes.c.used_at.is_not(None), *_unended(now))
            return None if used is None else await _reused(connection, used, CODE_REUSED, now)

    async def burn_code(self, digest: str, now: datetime) -> bool:
        """Let nobody claim the code any more, and end its grant; False where it was used, burnt or ended before."""
        unused = update(codes).where(codes.c.digest == digest, codes.c.used_at.is_(None)).values(used_at=now)
        async with self.writing() as connection:
            # The same row decides as in `claim_code`, so a code is claimed or burnt and never both.
            grant_id = (await connection.execute(unused.returning(codes.c.grant_id))).scalar()
            if grant_id is None:
                return False
            return bool(await end_grants(connection, CODE_BURNT, now, grants.c.id == grant_id))

    async def find_refresh(self, digest: str) -> RefreshToken | None:
        return await self._first(RefreshToken, select(refresh_tokens).where(refresh_tokens.c.digest == digest))

    async def rotate(
        self, digest: str, successor: RefreshToken, sealed: str, grace_since: datetime, now: datetime
    ) -> Grant | Replayed | Reused | None:
        """Put `successor` in the place of a refresh token, atomically: of ten at once, one rotates, nine replay.

        `sealed` is kept beside the old token for a repetition. One rotated before `grace_since` is a reuse: the
        family is revoked, in every process. None when the token or its family is unknown, expired or revoked.
        """
        this = refresh_tokens.c.digest == digest
        unrotated = update(refresh_tokens).where(
            this,
            refresh_tokens.c.rotated_at.is_(None),
            refresh_tokens.c.expires_at > now,
            refresh_tokens.c.grant_id.in_(_live(now)),
        )
        async with self.writing() as connection:
            if (await connection.execute(unrotated.values(rotated_at=now, successor=sealed))).rowcount:
                await _add_refresh(connection, successor)
                return await _grant_of(connection, refresh_tokens, digest)
            found = (await connection.execute(select(refresh_tokens).where(this))).mappings().first()
            grant = await _grant_of(connection, refresh_tokens, digest, *_held(now))
            if found is None or grant is None or found["rotated_at"] is None:
                return None
            if found["rotated_at"] < grace_since:
                return await _reused(connection, grant, TOKEN_REUSED, now)
            return Replayed(found["successor"])

    async def find_grant(self, grant_id: str) -> Grant | None:
        return await self._first(Grant, select(grants).where(grants.c.id == grant_id))

    async def find_live_grant(self, grant_id: str, now: datetime) -> Grant | None:
        """The grant, unless it is revoked or over or its account is disabled: whether its tokens still hold.

        One statement, so that grant and account are seen as of the same moment.
        """
        return await self._first(Grant, select(grants).where(grants.c.id == grant_id, *_held(now)))

    async def list_grants(self, user_id: str, now: datetime) -> Sequence[Grant]:
        """The live grants of an account, newest first; without those whose code was not redeemed in time."""
        # One whose code nobody redeemed in time connects nothing, and never will.
        missed = exists().where(codes.c.grant_id == grants.c.id, codes.c.used_at.is_(None), codes.c.expires_at <= now)
        query = (
            select(grants)
            .where(grants.c.user_id == user_id, *_unended(now), ~missed)
            .order_by(grants.c.created_at.desc(), grants.c.id)
        )
        return [Grant(**row) for row in await self.read(query)]

    async def revoke_grant(self, grant_id: str, reason: str, now: datetime) -> None:
        """End the family in every process. A second revocation leaves the first as it is."""
        async with self.writing() as connection:
            await end_grants(connection, reason, now, grants.c.id == grant_id)

    async def end_client(self, user_id: str, client_id: str, now: datetime) -> Sequence[str]:
        """End all that a client holds of an account, unredeemed codes and approved devices too; the ended grants."""
        let_in = devices.c.status == "approved", devices.c.expires_at > now
        waits = (devices.c.user_id == user_id, devices.c.client_id == client_id, *let_in)
        held = (grants.c.user_id == user_id, grants.c.client_id == client_id, *_unended(now))
        async with self.writing() as connection:
            # Devices first: one that asks meanwhile is refused, or its grant is there for the next statement to end.
            await connection.execute(update(devices).where(*waits).values(status="denied", user_id=None))
            return await end_grants(connection, DISCONNECTED, now, *held)

    async def restore_client(self, user_id: str, client_id: str, ended_at: datetime) -> bool:
        """Let the grants that were disconnected at this very time hold again, with their tokens, in every process.

        False where there are none. Devices stay denied: they were told so.
        """
        ended = grants.c.revoked_at == ended_at, grants.c.revoked_reason == DISCONNECTED
        these = (grants.c.user_id == user_id, grants.c.client_id == client_id, *ended)
        held = update(grants).where(*these).values(revoked_at=None, revoked_reason=None)
        return bool(await self.write(held, GRANTS_REVISION))


def _unended(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return grants.c.revoked_at.is_(None), grants.c.expires_at > now


def _held(now: datetime) -> tuple[ColumnElement[bool], ...]:
    """The grants that hold: neither ended nor of a disabled account."""
    enabled = exists().where(users.c.id == grants.c.user_id, users.c.disabled_at.is_(None))
    return *_unended(now), or_(grants.c.user_id.is_(None), enabled)


def _live(now: datetime) -> Any:
    return select(grants.c.id).where(*_held(now))


async def _first_use(connection: AsyncConnection, handle: str, until: datetime) -> bool:
    try:
        # In a savepoint: PostgreSQL gives a transaction up whose statement failed.
        async with connection.begin_nested():
            await connection.execute(insert(spent).values(digest=secrets.digest(handle), expires_at=until))
    except IntegrityError:
        return False
    return True


async def _add_refresh(connection: AsyncConnection, refresh: RefreshToken | None) -> None:
    if refresh is not None:
        await connection.execute(insert(refresh_tokens).values(**asdict(refresh)))


async def _grant_of(
    connection: AsyncConnection, table: Table, digest: str, *conditions: ColumnElement[bool]
) -> Grant | None:
    query = select(grants).join(table, table.c.grant_id == grants.c.id).where(table.c.digest == digest, *conditions)
    row = (await connection.execute(query)).mappings().first()
    return None if row is None else Grant(**row)


async def _reused(connection: AsyncConnection, grant: Grant, reason: str, now: datetime) -> Reused | None:
    # Of many at once, one is told that it ended the family: each who is raises an alert.
    return Reused(grant.id) if await end_grants(connection, reason, now, grants.c.id == grant.id) else None
