"""Creating at most once: the key that a client sends along, and how long it is remembered."""

import json
from hashlib import sha256

from app.internal_api.errors import Conflict
from app.internal_api.http.call import Call
from app.internal_api.models.wire import RequestModel

IDEMPOTENCY_HEADER = "x-minds-idempotency-key"
MAX_KEY = 128
HOUR = 3_600_000  # milliseconds


def idempotency_key(call: Call) -> str | None:
    """None where there is none that counts: blank and overlong ones are ignored."""
    key = call.request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    return key if 0 < len(key) <= MAX_KEY else None


def remembered_since(call: Call) -> int:
    """Keys of what was made before this time are free again."""
    return call.services.clock() - int(call.services.settings.idempotency_hours * HOUR)


def body_digest(asked: RequestModel) -> str:
    """The same for bodies that ask for the same, however they are written."""
    canonical = json.dumps(asked.model_dump(mode="json"), sort_keys=True)
    return sha256(canonical.encode()).hexdigest()


def require_same(earlier: str | None, asked: RequestModel) -> None:
    """Raises Conflict where the key came with another body before; `earlier` is None where that is not known."""
    if earlier is not None and earlier != body_digest(asked):
        message = "This idempotency key belongs to another request; use a new one for each thing to create"
        raise Conflict(message, {"code": "IDEMPOTENCY_CONFLICT"})
