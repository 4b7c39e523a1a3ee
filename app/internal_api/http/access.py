"""Who may reach what: its owner, and a demo visitor with a mind's token; and creating at most once for a key."""

import hmac
import json
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.errors import Conflict, Forbidden, Unreachable
from app.internal_api.http.call import Call
from app.internal_api.models.wire import RequestModel
from app.internal_api.principals import Principal
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import find_by_key, find_row
from app.internal_api.store.studies import Audience, Study

DEMO_TOKEN_HEADER = "x-minds-demo-token"  # noqa: S105 - the name of a header
IDEMPOTENCY_HEADER = "x-minds-idempotency-key"
MAX_KEY = 128
HOUR = 3_600_000  # milliseconds
Owned = TypeVar("Owned", Audience, Study)
Keyed = TypeVar("Keyed", Audience, Mind)


async def reachable_mind(call: Call, connection: AsyncConnection) -> Mind:
    """The mind of the path. Raises BadRequest for what is no id, Unreachable for all else."""
    mind = await find_row(connection, Mind, call.id("mindId"))
    token = call.request.headers.get(DEMO_TOKEN_HEADER)
    if mind is None or not may_reach(call.principal, token, mind, call.services.clock()):
        raise Unreachable("Mind")
    return mind


async def reachable(call: Call, connection: AsyncConnection, kind: type[Owned], *, lock: bool = False) -> Owned:
    """The audience or study of the path; demo visitors own none, not even together.

    Raises BadRequest for what is no id, Unreachable for all else.
    """
    found = await find_row(connection, kind, call.id(f"{kind.__name__.lower()}Id"), lock=lock)
    if found is None or found.owner_id != call.principal.user_id or call.principal.demo:
        raise Unreachable(kind.__name__)
    return found


def account(principal: Principal) -> str:
    """The account that lists and makes things. Raises Forbidden for demo visitors, who all share one."""
    if principal.demo:
        raise Forbidden("Sign in to use audiences and studies")
    return principal.user_id


def may_reach(principal: Principal, demo_token: str | None, mind: Mind, now: int) -> bool:
    """Demo minds all belong to one account, so there the token is what tells visitors apart."""
    if mind.owner_id != principal.user_id:
        return False
    if not principal.demo:
        return mind.demo_token_hash is None
    if mind.demo_token_hash is None or mind.demo_expires_at is None or not demo_token:
        return False
    return mind.demo_expires_at > now and hmac.compare_digest(mind.demo_token_hash, digest(demo_token))


def digest(token: str) -> str:
    """What is stored of a demo token."""
    return sha256(token.encode()).hexdigest()


def keyed(call: Call, asked: RequestModel) -> dict[str, Any]:
    """What is stored of the key that came with a body: the digest is the same for all that ask for the same.

    Both are None where there is no key that counts: blank and overlong ones are ignored.
    """
    given = call.request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    key = given if 0 < len(given) <= MAX_KEY else None
    body = key and digest(json.dumps(asked.model_dump(mode="json"), sort_keys=True))
    return {"idempotency_key": key, "idempotency_digest": body}


async def made_before(call: Call, connection: AsyncConnection, kind: type[Keyed], asked: RequestModel) -> Keyed | None:
    """What the caller made with the same key within the time that keys are remembered.

    Raises Conflict where the key came with another body; a digest of None means that the body is not known.
    """
    key, body = keyed(call, asked).values()
    if key is None:
        return None
    since = call.services.clock() - int(call.services.settings.idempotency_hours * HOUR)
    earlier = await find_by_key(connection, kind, call.principal.user_id, key, made_since=since)
    if earlier is not None and earlier.idempotency_digest not in {None, body}:
        message = "This idempotency key belongs to another request; use a new one for each thing to create"
        raise Conflict(message, {"code": "IDEMPOTENCY_CONFLICT"})
    return earlier
