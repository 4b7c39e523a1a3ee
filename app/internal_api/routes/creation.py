"""Creating a mind: at most once for each idempotency key, and within the quota for demo visitors."""

import secrets
from dataclasses import replace

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, PlanLimit
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.models.minds import CreatedMind, CreateMind, Demo, DemoMindSummary
from app.internal_api.models.training import TrainingStatus
from app.internal_api.models.wire import iso
from app.internal_api.routes.access import digest
from app.internal_api.routes.body import parse, read_json
from app.internal_api.routes.call import Call
from app.internal_api.routes.drafts import draft_mind, first_item, first_job
from app.internal_api.routes.idempotency import HOUR, body_digest, idempotency_key, remembered_since, require_same
from app.internal_api.routes.shown import mind_summary, summary_fields, training_status
from app.internal_api.store.demos import count_live_demos
from app.internal_api.store.jobs import insert_job, latest_training
from app.internal_api.store.knowledge import insert_item
from app.internal_api.store.minds import Mind, find_mind_by_key, forget_key, insert_mind


async def create_mind(call: Call) -> Response:
    settings = call.services.settings
    asked = parse(CreateMind, await read_json(call.request, settings.max_json_bytes))
    for link in filter(None, (asked.context_link, asked.profile_image_url)):
        await admit(call, link)
    if call.principal.demo:
        return await _create_demo(call, asked)
    key = idempotency_key(call)
    try:
        return await _create_once(call, asked, key)
    except IntegrityError:
        # The same key came twice at the same moment, and the other request was first.
        return await _create_once(call, asked, key)


async def admit(call: Call, link: str) -> None:
    """Refuse an address that may not be reached, before anything is stored. Raises BadRequest."""
    try:
        await call.services.admit_link(link)
    except SourceRefused as refusal:
        raise BadRequest(refusal.message, {"code": refusal.code}) from None


async def _create_once(call: Call, asked: CreateMind, key: str | None) -> Response:
    now, owner_id = call.services.clock(), call.principal.user_id
    mind = replace(draft_mind(asked, owner_id, now, key=key), idempotency_digest=key and body_digest(asked))
    async with call.services.engine.begin() as connection:
        if key is not None:
            await forget_key(connection, owner_id, key, made_before=remembered_since(call))
            earlier = await find_mind_by_key(connection, owner_id, key)
            if earlier is not None:
                require_same(earlier.idempotency_digest, asked)
                job = await latest_training(connection, earlier.id)
                status = training_status(job, ready=earlier.ready)
                return call.answer(CreatedMind(data=mind_summary(earlier), training=status))
        created = CreatedMind(data=mind_summary(mind), training=await _insert(connection, asked, mind, now))
    call.services.wake.set()
    return call.answer(created, 201)


async def _create_demo(call: Call, asked: CreateMind) -> Response:
    # No idempotency here: all visitors share one account, and a key is easier to guess than a token.
    settings, now = call.services.settings, call.services.clock()
    token = secrets.token_urlsafe(32)
    expires_at = now + int(settings.demo_hours * HOUR)
    plain = draft_mind(asked, call.principal.user_id, now)
    mind = replace(plain, demo_token_hash=digest(token), demo_expires_at=expires_at)
    async with call.services.engine.begin() as connection:
        alive = await count_live_demos(connection, now)
        if alive >= settings.demo_quota:
            message = "The demo is full at the moment; sign in to create a mind"
            limits = {"limit": settings.demo_quota, "current": alive}
            raise PlanLimit(message, limit_type="sparks", plan="demo", **limits)
        status = await _insert(connection, asked, mind, now)
    call.services.wake.set()
    demo = Demo(token=token, expires_at=iso(expires_at))
    return call.answer(CreatedMind(data=DemoMindSummary(**summary_fields(mind), demo=demo), training=status), 201)


async def _insert(connection: AsyncConnection, asked: CreateMind, mind: Mind, now: int) -> TrainingStatus:
    job = first_job(asked, mind, now)
    await insert_mind(connection, mind)
    first = first_item(asked, mind, now)
    if first is not None:
        await insert_item(connection, *first)
    await insert_job(connection, job)
    return training_status(job, ready=False)
