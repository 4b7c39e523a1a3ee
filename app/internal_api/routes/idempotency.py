"""Creating at most once: the key that a client sends along, and how long it is remembered."""

from app.internal_api.routes.call import Call

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
