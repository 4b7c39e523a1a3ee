"""Devices that wait for a person elsewhere (RFC 8628), in the database."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ColumnElement, insert, select, update

from oauth.grants import Device, Grant, RefreshToken
from oauth.stores.base import Store
from oauth.stores.tables import devices, grants, refresh_tokens, users


class DeviceStore(Store):
    async def add_device(self, device: Device) -> None:
        """Keep a device that waits. Raises `Conflict` when its user code is in use."""
        await self.write_unique(insert(devices).values(**asdict(device)), "Another device waits with this code.")

    async def find_device(self, digest: str) -> Device | None:
        return await self._first(Device, select(devices).where(devices.c.digest == digest))

    async def find_waiting(self, user_code_digests: Sequence[str], now: datetime) -> Device | None:
        """By one of the user code's digests; only one that is pending and not expired."""
        waiting = devices.c.user_code_digest.in_(user_code_digests), *_waiting(now)
        return await self._first(Device, select(devices).where(*waiting))

    async def decide(self, digest: str, *, user_id: str | None, scopes: frozenset[str], now: datetime) -> bool:
        """Approve for the account, or deny without one; False when it no longer waits."""
        status = "denied" if user_id is None else "approved"
        decision = (
            update(devices)
            .where(devices.c.digest == digest, *_waiting(now))
            .values(status=status, user_id=user_id, scopes=scopes)
        )
        return bool(await self.write(decision))

    async def list_let_in(self, user_id: str, now: datetime) -> Sequence[Device]:
        """Those that the account approved and that have not asked since, newest first."""
        query = (
            select(devices)
            .where(devices.c.user_id == user_id, devices.c.status == "approved", devices.c.expires_at > now)
            .order_by(devices.c.created_at.desc(), devices.c.digest)
        )
        return [Device(**row) for row in await self.read(query)]

    async def note_poll(self, digest: str, interval: int, now: datetime) -> None:
        noted = update(devices).where(devices.c.digest == digest).values(last_poll_at=now, interval=interval)
        await self.write(noted)

    async def use_device(self, digest: str, grant: Grant, refresh: RefreshToken | None, now: datetime) -> bool:
        """Use an approved device code up and keep its grant, atomically; False when somebody else did."""
        enabled = select(users.c.id).where(users.c.id == grant.user_id, users.c.disabled_at.is_(None))
        # The status is read and changed by one statement: of ten polls at once, one finds it approved.
        used = (
            update(devices)
            .where(devices.c.digest == digest, devices.c.status == "approved", devices.c.expires_at > now)
            .where(devices.c.user_id.in_(enabled))
            .values(status="used")
        )
        async with self.writing() as connection:
            if not (await connection.execute(used)).rowcount:
                return False
            await connection.execute(insert(grants).values(**asdict(grant)))
            if refresh is not None:
                await connection.execute(insert(refresh_tokens).values(**asdict(refresh)))
            return True


def _waiting(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return devices.c.status == "pending", devices.c.expires_at > now
