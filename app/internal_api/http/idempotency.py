"""Creating at most once: the key that a client sends along, and how long it is remembered."""

import json
from hashlib import sha256
from typing import TypeVar

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.errors import Conflict
from app.internal_api.http.call import Call
from app.internal_api.models.wire import RequestModel
from app.internal_api.store.audiences import Audience
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import find_by_key

IDEMPOTENCY_HEADER = "x-minds-idempotency-key"
MAX_KEY = 128
HOUR = 3_600_000  # milliseconds
Row = TypeVar("Row", Mind, Audience)


def idempotency_key(call: Call) -> str | None:
    """None where there is none that counts: blank and overlong ones are ignored."""
    key = call.request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    return key if 0 < len(key) <= MAX_KEY else None


async def made_before(
    call: Call, connection: AsyncConnection, table: Table, row_type: type[Row], asked: RequestModel
) -> Row | None:
    """What the caller made with the same key within the time that keys are remembered.

    Raises Conflict where the key came with another body; a digest of None means that the body is not known.
    """
    key = idempotency_key(call)
    if key is None:
        return None
    since = call.services.clock() - int(call.services.settings.idempotency_hours * HOUR)
    earlier = await find_by_key(connection, table, row_type, call.principal.user_id, key, made_since=since)
    if earlier is not None and earlier.idempotency_digest not in {None, body_digest(asked)}:
        message = "This idempotency key belongs to another request; use a new one for each thing to create"
        raise Conflict(message, {"code": "IDEMPOTENCY_CONFLICT"})
    return earlier


def body_digest(asked: RequestModel) -> str:
    """The same for bodies that ask for the same, however they are written."""
    canonical = json.dumps(asked.model_dump(mode="json"), sort_keys=True)
    return sha256(canonical.encode()).hexdigest()
