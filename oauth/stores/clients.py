"""Registered clients in the database."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import RowMapping, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import StoreUnavailable
from oauth.grants import Client
from oauth.stores.base import USE_NOTED_EVERY, Store, end_grants, lasting
from oauth.stores.grants import DISCONNECTED
from oauth.stores.tables import clients, consents, devices, grants

MAX_UNUSED = 10_000
"""Registrations that nobody has used yet. Above it the oldest of them go, so that a flood drowns itself only."""
CLIENT_REVOKED = "client revoked"
DOCUMENT_GONE = "metadata document gone"
DOCUMENT = "document"
"""The kind of rows that older versions kept of metadata documents: of no use any more."""
COLUMNS = ("id", "kind", "secret_digest", "created_at", "expires_at", "last_used_at")
"""The fields of a client that are columns; the others are in the JSON of `metadata`."""
_CLIENT = TypeAdapter(Client)


class ClientStore(Store):
    def __init__(self, engine: AsyncEngine, *, max_unused: int = MAX_UNUSED) -> None:
        super().__init__(engine)
        self._max_unused = max_unused

    async def register(self, client: Client, fingerprint: str | None, now: datetime) -> Client:
        """Keep a new registration, or return the live one with this fingerprint; without one it is always new."""
        try:
            async with self.writing() as connection:
                if fingerprint is not None:
                    ended = clients.c.fingerprint == fingerprint, clients.c.expires_at <= now
                    await connection.execute(delete(clients).where(*ended))
                await connection.execute(insert(clients).values(**_row(client), fingerprint=fingerprint))
                unused = select(clients.c.id).where(clients.c.expires_at.is_not(None))
                surplus = unused.order_by(clients.c.expires_at.desc(), clients.c.id).offset(self._max_unused)
                await connection.execute(delete(clients).where(clients.c.id.in_(surplus)))
        except IntegrityError:
            # The same registration is there, perhaps since a moment ago. It begins its time unused again, as
            # the one who asks has only now learnt its id.
            found = await self._again(client, fingerprint, now)
            if found is None:
                raise StoreUnavailable("a registration ended while it was made again") from None
            return found
        return client

    async def find_client(self, client_id: str, now: datetime) -> Client | None:
        """The registered client, unless it is revoked or its time unused is over."""
        registered = clients.c.kind != DOCUMENT
        rows = await self.read(select(clients).where(clients.c.id == client_id, registered, *lasting(clients, now)))
        return _client(rows[0]) if rows else None

    async def end_grants(self, client_id: str, now: datetime) -> None:
        """End what a client holds whose metadata document is gone for good."""
        owned = grants.c.client_id == client_id
        # Read before the write: strangers name addresses, and most without a document never had one.
        if await self.read(select(grants.c.id).where(owned, grants.c.revoked_at.is_(None)).limit(1)):
            async with self.writing() as connection:
                await end_grants(connection, DOCUMENT_GONE, now, owned)

    async def keep_client(self, client_id: str, now: datetime) -> None:
        long_ago = or_(clients.c.last_used_at.is_(None), clients.c.last_used_at <= now - USE_NOTED_EVERY)
        unrevoked = update(clients).where(clients.c.id == client_id, clients.c.revoked_at.is_(None), long_ago)
        await self.write(unrevoked.values(last_used_at=now, expires_at=None))

    async def list_clients(self) -> Sequence[Client]:
        live = clients.c.kind != DOCUMENT, clients.c.revoked_at.is_(None)
        query = select(clients).where(*live).order_by(clients.c.created_at.desc())
        return [_client(row) for row in await self.read(query)]

    async def revoke_client(self, client_id: str, now: datetime) -> bool:
        """End the client (a metadata document stays valid) and all its grants, in every process; False if none."""
        let_in = update(devices).where(devices.c.client_id == client_id, devices.c.status.in_(["pending", "approved"]))
        async with self.writing() as connection:
            # Devices first, as in `end_client`: whoever was let in and has not asked yet is refused.
            denied = await connection.execute(let_in.values(status="denied", user_id=None))
            await connection.execute(delete(clients).where(clients.c.id == client_id, clients.c.kind == DOCUMENT))
            client = await connection.execute(
                update(clients)
                .where(clients.c.id == client_id, clients.c.revoked_at.is_(None))
                .values(revoked_at=now, fingerprint=None)
            )
            # What was remembered for it must not grant access again without a question.
            await connection.execute(delete(consents).where(consents.c.client_id == client_id))
            ended = await end_grants(connection, CLIENT_REVOKED, now, grants.c.client_id == client_id)
            # What somebody disconnected a moment ago cannot be taken back any more.
            disconnected = grants.c.client_id == client_id, grants.c.revoked_reason == DISCONNECTED
            await connection.execute(update(grants).where(*disconnected).values(revoked_reason=CLIENT_REVOKED))
        return bool(client.rowcount or ended or denied.rowcount)

    async def _again(self, client: Client, fingerprint: str | None, now: datetime) -> Client | None:
        same = clients.c.fingerprint == fingerprint
        async with self.writing() as connection:
            await connection.execute(
                update(clients).where(same, clients.c.expires_at > now).values(expires_at=client.expires_at)
            )
            row = (await connection.execute(select(clients).where(same, *lasting(clients, now)))).mappings().first()
            return _client(row) if row else None


def _row(client: Client) -> dict[str, Any]:
    metadata = _CLIENT.dump_json(client, exclude=set(COLUMNS)).decode()
    return {name: getattr(client, name) for name in COLUMNS} | {"metadata": metadata}


def _client(row: RowMapping) -> Client:
    return _CLIENT.validate_python(json.loads(row["metadata"]) | {name: row[name] for name in COLUMNS})
