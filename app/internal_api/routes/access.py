"""Who may reach which mind: its owner, and a demo visitor with its token. Others learn nothing."""

import hmac
from hashlib import sha256

from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.errors import MindNotFound
from app.internal_api.principals import Principal
from app.internal_api.routes.call import Call
from app.internal_api.store.minds import Mind, find_mind

DEMO_TOKEN_HEADER = "x-minds-demo-token"  # noqa: S105 - the name of a header


async def reachable_mind(call: Call, connection: AsyncConnection) -> Mind:
    """The mind of the path. Raises BadRequest for what is no id, MindNotFound for all else."""
    mind = await find_mind(connection, call.id("mindId"))
    token = call.request.headers.get(DEMO_TOKEN_HEADER)
    if mind is None or not may_reach(call.principal, token, mind, call.services.clock()):
        raise MindNotFound
    return mind


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
