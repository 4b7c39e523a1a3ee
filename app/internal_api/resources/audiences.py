"""Audiences: listed, created at most once for each key, read, renamed, deleted; minds join and leave them."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, Unreachable
from app.internal_api.http.access import IDEMPOTENCY_HEADER, account, keyed, made_before, reachable
from app.internal_api.http.call import NO_STORE, Call, json_response, list_response
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, operation
from app.internal_api.models import studies as models
from app.internal_api.models.wire import Data, Listed, Page
from app.internal_api.store.minds import minds
from app.internal_api.store.rows import delete_row, find_page, link, owned_ids, update_row
from app.internal_api.store.studies import Audience, audience_members, audiences, insert_audience, members_of

COLLECTION = "/audiences"
ONE = "/audiences/{audienceId}"
ANSWER = {200: Data[models.AudienceDetail]}
CREATED = {201: Data[models.AudienceDetail], **ANSWER}
REPEATED = {IDEMPOTENCY_HEADER: "a repeat within a day answers 200 with the same audience; another body, 409"}


@operation("GET", COLLECTION, FLOWS_READ, Listed[models.AudienceDetail], query=Page)
async def list_audiences(call: Call) -> Response:
    """The caller's audiences."""
    page = call.queried(Page).model_dump()
    async with call.services.read() as connection:
        owned = audiences.c.owner_id == account(call.principal)
        found, total = await find_page(connection, Audience, owned, **page)
        members = await members_of(connection, [audience.id for audience in found])
    # In a thread, since a page may hold a hundred thousand minds.
    return await asyncio.to_thread(lambda: list_response([_detail(one, members[one.id]) for one in found], total, page))


@operation("POST", COLLECTION, FLOWS_WRITE, CREATED, body=models.CreateAudience, headers=REPEATED, refusals=(409,))
async def create_audience(call: Call) -> Response:
    """Create an audience of minds."""
    owner_id = account(call.principal)
    asked = await call.asked(models.CreateAudience)
    try:
        return await _create_once(call, owner_id, asked)
    except IntegrityError:
        # The same key came twice at the same moment, and the other request was first.
        return await _create_once(call, owner_id, asked)


async def _create_once(call: Call, owner_id: str, asked: models.CreateAudience) -> Response:
    now = call.services.clock()
    async with call.services.engine.begin() as connection:
        if (earlier := await made_before(call, connection, Audience, asked)) is not None:
            return await _answer(connection, earlier)
        await require_minds(connection, owner_id, asked.mind_ids)
        more = {**sharing(enabled=asked.is_link_sharing_enabled), **keyed(call, asked)}
        audience = Audience(owner_id=owner_id, name=asked.name, **more, created_at=now, updated_at=now)
        await insert_audience(connection, audience, asked.mind_ids)
        return await _answer(connection, audience, 201)


def sharing(share_id: str | None = None, *, enabled: bool) -> dict[str, Any]:
    """Sharing mints an id; to end it takes that id away for ever."""
    return {"is_link_sharing_enabled": enabled, "public_share_id": (share_id or str(uuid4())) if enabled else None}


async def require_minds(connection: AsyncConnection, owner_id: str, mind_ids: Sequence[str]) -> None:
    """Raises Unreachable unless all of them are the owner's lasting minds, without saying which one is not."""
    lasting = minds.c.demo_token_hash.is_(None)
    if set(mind_ids) - await owned_ids(connection, minds, owner_id, mind_ids, lasting):
        raise Unreachable("Mind")


@operation("GET", ONE, FLOWS_READ, ANSWER)
async def get_audience(call: Call) -> Response:
    """One audience with its minds."""
    async with call.services.read() as connection:
        return await _answer(connection, await reachable(call, connection, Audience))


@operation("PUT", ONE, FLOWS_WRITE, ANSWER, body=models.ChangeAudience)
async def update_audience(call: Call) -> Response:
    """Rename an audience, or share it by link."""
    asked = await call.asked(models.ChangeAudience)
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        changed: dict[str, Any] = {"name": asked.name or audience.name}
        if asked.is_link_sharing_enabled is not None:
            changed |= sharing(audience.public_share_id, enabled=asked.is_link_sharing_enabled)
        return await _answer(connection, await _change(call, connection, audience, **changed))


@operation("DELETE", ONE, FLOWS_WRITE, {204: None})
async def delete_audience(call: Call) -> Response:
    """Delete an audience; its minds and past answers stay."""
    async with call.services.engine.begin() as connection:
        await delete_row(connection, Audience, (await reachable(call, connection, Audience, lock=True)).id)
    return Response(status_code=204, headers=NO_STORE)


@operation("POST", f"{ONE}/members", FLOWS_WRITE, ANSWER, body=models.AddMembers)
async def add_audience_members(call: Call) -> Response:
    """Add minds to an audience. Who is a member already keeps the place; the others come after, in the order given."""
    asked = await call.asked(models.AddMembers)
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        await require_minds(connection, audience.owner_id, asked.mind_ids)
        of = audience_members.c
        placed = select(of.mind_id, of.position).where(of.audience_id == audience.id)
        places: dict[str, int] = dict((await connection.execute(placed)).all())
        joining = [mind_id for mind_id in asked.mind_ids if mind_id not in places]
        if len(places) + len(joining) > models.MAX_MEMBERS:
            raise BadRequest(f"An audience holds at most {models.MAX_MEMBERS} minds; this one has {len(places)}")
        behind = max(places.values(), default=-1) + 1
        await link(connection, audience_members, audience.id, joining, after=behind)
        return await _answer(connection, await _change(call, connection, audience))


@operation("DELETE", f"{ONE}/members/{{mindId}}", FLOWS_WRITE, {204: None})
async def remove_audience_member(call: Call) -> Response:
    """Take a mind out of an audience."""
    mind_id = call.id("mindId")
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        of = audience_members.c
        gone = delete(audience_members).where(of.audience_id == audience.id, of.mind_id == mind_id)
        if not (await connection.execute(gone)).rowcount:
            raise Unreachable("Mind")
        await _change(call, connection, audience)
    return Response(status_code=204, headers=NO_STORE)


async def _change(call: Call, connection: AsyncConnection, audience: Audience, **changed: Any) -> Audience:
    changed["updated_at"] = call.services.clock()
    await update_row(connection, Audience, audience.id, **changed)
    return replace(audience, **changed)


async def _answer(connection: AsyncConnection, audience: Audience, status: int = 200) -> Response:
    members = await members_of(connection, [audience.id])
    return json_response(Data(data=_detail(audience, members[audience.id])), status)


def _detail(audience: Audience, members: Sequence[models.AudienceMember]) -> models.AudienceDetail:
    ids = [member.id for member in members]
    return models.AudienceDetail.model_validate(
        {**asdict(audience), "mind_count": len(ids), "mind_ids": ids, "minds": members}
    )
