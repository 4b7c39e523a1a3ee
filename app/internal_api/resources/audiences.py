"""Audiences: listed, created at most once for each key, read, renamed, deleted; minds join and leave them."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from uuid import uuid4

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, MindNotFound
from app.internal_api.http.access import account, reachable_audience
from app.internal_api.http.call import Call, json_response, no_content
from app.internal_api.http.idempotency import (
    IDEMPOTENCY_HEADER,
    body_digest,
    idempotency_key,
    remembered_since,
    require_same,
)
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, KNOWN, LIST, PAGE, Operations
from app.internal_api.models.audiences import MAX_MEMBERS, AddMembers, AudienceShown, ChangeAudience, CreateAudience
from app.internal_api.models.wire import Data, Listed
from app.internal_api.store.audiences import (
    Audience,
    Member,
    add_members,
    delete_audience,
    find_audience_by_key,
    insert_audience,
    list_audiences,
    member_places,
    members_of,
    owned_minds,
    remove_member,
    update_audience,
)

COLLECTION = "/audiences"
ONE = "/audiences/{audienceId}"
ANSWER = {200: Data[AudienceShown]}

operations = Operations()


@operations.add(
    "GET",
    COLLECTION,
    "listAudiences",
    "The caller's audiences",
    FLOWS_READ,
    {200: Listed[AudienceShown]},
    query=PAGE,
    refusals=LIST,
)
async def read_audiences(call: Call) -> Response:
    page = call.page()
    async with call.services.read() as connection:
        owner_id = account(call.principal)
        found, total = await list_audiences(connection, owner_id, limit=page.limit, offset=page.offset)
        members = await members_of(connection, [audience.id for audience in found])

    def listed() -> Response:
        data = [audience_shown(audience, members[audience.id]) for audience in found]
        return json_response(Listed(data=data, pagination=page.of(total)))

    return await asyncio.to_thread(listed)  # a page may hold a hundred thousand minds


@operations.add(
    "POST",
    COLLECTION,
    "createAudience",
    "Create an audience of minds",
    FLOWS_WRITE,
    {201: Data[AudienceShown], **ANSWER},
    refusals=(*KNOWN, 409),
    bodies=(CreateAudience,),
    headers={IDEMPOTENCY_HEADER: "a repeat within a day answers 200 with the same audience; another body, 409"},
)
async def create_audience(call: Call) -> Response:
    owner_id = account(call.principal)
    asked = await call.asked(CreateAudience)
    key = idempotency_key(call)
    try:
        return await _create_once(call, owner_id, asked, key)
    except IntegrityError:
        # The same key came twice at the same moment, and the other request was first.
        return await _create_once(call, owner_id, asked, key)


async def _create_once(call: Call, owner_id: str, asked: CreateAudience, key: str | None) -> Response:
    now = call.services.clock()
    async with call.services.engine.begin() as connection:
        if key is not None:
            earlier = await find_audience_by_key(connection, owner_id, key, made_since=remembered_since(call))
            if earlier is not None:
                require_same(earlier.idempotency_digest, asked)
                return await _answer(connection, earlier)
        await require_minds(connection, owner_id, asked.mind_ids)
        named = Audience(owner_id=owner_id, name=asked.name, created_at=now, updated_at=now)
        keyed = replace(named, idempotency_key=key, idempotency_digest=key and body_digest(asked))
        audience = shared(keyed, enabled=asked.is_link_sharing_enabled)
        await insert_audience(connection, audience, asked.mind_ids)
        return await _answer(connection, audience, 201)


def shared(audience: Audience, *, enabled: bool) -> Audience:
    """Sharing mints an id; to end it takes that id away for ever."""
    share_id = (audience.public_share_id or str(uuid4())) if enabled else None
    return replace(audience, is_link_sharing_enabled=enabled, public_share_id=share_id)


async def require_minds(connection: AsyncConnection, owner_id: str, mind_ids: Sequence[str]) -> None:
    """Raises MindNotFound unless all of them are the owner's lasting minds, without saying which one is not."""
    if set(mind_ids) - await owned_minds(connection, owner_id, mind_ids):
        raise MindNotFound


@operations.add("GET", ONE, "getAudience", "One audience with its minds", FLOWS_READ, ANSWER)
async def read_audience(call: Call) -> Response:
    async with call.services.read() as connection:
        return await _answer(connection, await reachable_audience(call, connection))


@operations.add(
    "PUT",
    ONE,
    "updateAudience",
    "Rename an audience, or share it by link",
    FLOWS_WRITE,
    ANSWER,
    bodies=(ChangeAudience,),
)
async def change_audience(call: Call) -> Response:
    asked = await call.asked(ChangeAudience)
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        changed = replace(audience, name=asked.name or audience.name, updated_at=call.services.clock())
        if asked.is_link_sharing_enabled is not None:
            changed = shared(changed, enabled=asked.is_link_sharing_enabled)
        await update_audience(connection, changed)
        return await _answer(connection, changed)


@operations.add(
    "DELETE",
    ONE,
    "deleteAudience",
    "Delete an audience; its minds and past answers stay",
    FLOWS_WRITE,
    {204: None},
)
async def remove_audience(call: Call) -> Response:
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        await delete_audience(connection, audience.id)
    return no_content()


@operations.add(
    "POST",
    f"{ONE}/members",
    "addAudienceMembers",
    "Add minds to an audience",
    FLOWS_WRITE,
    ANSWER,
    bodies=(AddMembers,),
)
async def join_audience(call: Call) -> Response:
    """Who is a member already keeps the place; the others come after, in the order given."""
    asked = await call.asked(AddMembers)
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        await require_minds(connection, audience.owner_id, asked.mind_ids)
        places = await member_places(connection, audience.id)
        joining = [mind_id for mind_id in asked.mind_ids if mind_id not in places]
        if len(places) + len(joining) > MAX_MEMBERS:
            raise BadRequest(f"An audience holds at most {MAX_MEMBERS} minds; this one has {len(places)}")
        await add_members(connection, audience.id, joining, after=max(places.values(), default=-1) + 1)
        changed = replace(audience, updated_at=call.services.clock())
        await update_audience(connection, changed)
        return await _answer(connection, changed)


@operations.add(
    "DELETE",
    f"{ONE}/members/{{mindId}}",
    "removeAudienceMember",
    "Take a mind out of an audience",
    FLOWS_WRITE,
    {204: None},
)
async def leave_audience(call: Call) -> Response:
    mind_id = call.id("mindId")
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        if not await remove_member(connection, audience.id, mind_id):
            raise MindNotFound
        await update_audience(connection, replace(audience, updated_at=call.services.clock()))
    return no_content()


async def _answer(connection: AsyncConnection, audience: Audience, status: int = 200) -> Response:
    members = await members_of(connection, [audience.id])
    return json_response(Data(data=audience_shown(audience, members[audience.id])), status)


def audience_shown(audience: Audience, members: Sequence[Member]) -> AudienceShown:
    ids = [member.id for member in members]
    return AudienceShown.model_validate({**asdict(audience), "mind_count": len(ids), "mind_ids": ids, "minds": members})
