"""Who may reach what: its owner, and a demo visitor with a mind's token. Others learn nothing."""

import hmac
from hashlib import sha256

from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.errors import AudienceNotFound, Forbidden, MindNotFound, StudyNotFound
from app.internal_api.http.call import Call
from app.internal_api.principals import Principal
from app.internal_api.store.audiences import Audience, find_audience
from app.internal_api.store.minds import Mind, find_mind
from app.internal_api.store.studies import Study, find_study

DEMO_TOKEN_HEADER = "x-minds-demo-token"  # noqa: S105 - the name of a header


async def reachable_mind(call: Call, connection: AsyncConnection) -> Mind:
    """The mind of the path. Raises BadRequest for what is no id, MindNotFound for all else."""
    mind = await find_mind(connection, call.id("mindId"))
    token = call.request.headers.get(DEMO_TOKEN_HEADER)
    if mind is None or not may_reach(call.principal, token, mind, call.services.clock()):
        raise MindNotFound
    return mind


async def reachable_audience(call: Call, connection: AsyncConnection, *, lock: bool = False) -> Audience:
    """The audience of the path. Raises BadRequest for what is no id, AudienceNotFound for all else."""
    audience = await find_audience(connection, call.id("audienceId"), lock=lock)
    if audience is None or not owns(call.principal, audience.owner_id):
        raise AudienceNotFound
    return audience


async def reachable_study(call: Call, connection: AsyncConnection) -> Study:
    """The study of the path. Raises BadRequest for what is no id, StudyNotFound for all else."""
    study = await find_study(connection, call.id("studyId"))
    if study is None or not owns(call.principal, study.owner_id):
        raise StudyNotFound
    return study


def account(principal: Principal) -> str:
    """The account that lists and makes things. Raises Forbidden for demo visitors, who all share one."""
    if principal.demo:
        message = "Sign in to use audiences and studies"
        raise Forbidden(message)
    return principal.user_id


def owns(principal: Principal, owner_id: str) -> bool:
    """Whether something that only its owner reaches is the caller's; demo visitors own nothing, not even together."""
    return principal.user_id == owner_id and not principal.demo


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
