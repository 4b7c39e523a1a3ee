"""Audiences: listed, created at most once for each key, read, renamed, deleted; their members."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, MindNotFound
from app.internal_api.models.audiences import (
    MAX_MEMBERS,
    AddMembers,
    AudienceAnswer,
    AudienceList,
    AudienceShown,
    ChangeAudience,
    CreateAudience,
    MemberList,
)
from app.internal_api.routes.access import account, reachable_audience
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.idempotency import body_digest, idempotency_key, remembered_since, require_same
from app.internal_api.routes.paging import page
from app.internal_api.routes.shown_groups import audience_shown, member_shown
from app.internal_api.store.audiences import (
    Audience,
    add_members,
    delete_audience,
    find_audience_by_key,
    forget_audience_key,
    insert_audience,
    list_audiences,
    list_members,
    member_places,
    members_of,
    owned_minds,
    remove_member,
    update_audience,
)


async def read_audiences(call: Call) -> Response:
    wanted = page(call)
    async with call.services.read() as connection:
        owner_id = account(call.principal)
        found, total = await list_audiences(connection, owner_id, limit=wanted.limit, offset=wanted.offset)
        members = await members_of(connection, [audience.id for audience in found])

    def listed() -> Response:
        shown = [audience_shown(audience, members[audience.id]) for audience in found]
        return call.answer(AudienceList(data=shown, pagination=wanted.of(total)))

    return await asyncio.to_thread(listed)  # aside, since a page may hold a hundred thousand minds


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
    async with call.services.engine.begin() as connection:
        if key is not None:
            await forget_audience_key(connection, owner_id, key, made_before=remembered_since(call))
            earlier = await find_audience_by_key(connection, owner_id, key)
            if earlier is not None:
                require_same(earlier.idempotency_digest, asked)
                return call.answer(AudienceAnswer(data=await _shown(connection, earlier)))
        await require_minds(connection, owner_id, asked.mind_ids)
        audience = draft_audience(owner_id, asked.name, call.services.clock(), key=key)
        audience = replace(audience, idempotency_digest=key and body_digest(asked))
        audience = shared(audience, enabled=asked.is_link_sharing_enabled)
        await insert_audience(connection, audience, asked.mind_ids)
        return call.answer(AudienceAnswer(data=await _shown(connection, audience)), 201)


def draft_audience(owner_id: str, name: str, now: int, *, key: str | None = None) -> Audience:
    """An audience that nobody else sees."""
    return Audience(
        id=str(uuid4()),
        owner_id=owner_id,
        name=name,
        is_link_sharing_enabled=False,
        public_share_id=None,
        idempotency_key=key,
        created_at=now,
        updated_at=now,
    )


def shared(audience: Audience, *, enabled: bool) -> Audience:
    """Sharing mints an id; to end it takes that id away for ever."""
    share_id = (audience.public_share_id or str(uuid4())) if enabled else None
    return replace(audience, is_link_sharing_enabled=enabled, public_share_id=share_id)


async def require_minds(connection: AsyncConnection, owner_id: str, mind_ids: Sequence[str]) -> None:
    """Raises MindNotFound unless all of them are the owner's lasting minds; which one is not is not told."""
    if set(mind_ids) - await owned_minds(connection, owner_id, mind_ids):
        raise MindNotFound


async def read_audience(call: Call) -> Response:
    async with call.services.read() as connection:
        shown = await _shown(connection, await reachable_audience(call, connection))
    return call.answer(AudienceAnswer(data=shown))


async def change_audience(call: Call) -> Response:
    asked = await call.asked(ChangeAudience)
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        changed = replace(audience, name=asked.name or audience.name, updated_at=call.services.clock())
        if asked.is_link_sharing_enabled is not None:
            changed = shared(changed, enabled=asked.is_link_sharing_enabled)
        await update_audience(connection, changed)
        shown = await _shown(connection, changed)
    return call.answer(AudienceAnswer(data=shown))


async def remove_audience(call: Call) -> Response:
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        await delete_audience(connection, audience.id)
    return Response(status_code=204, headers=NO_STORE)


async def read_members(call: Call) -> Response:
    wanted = page(call)
    async with call.services.read() as connection:
        audience = await reachable_audience(call, connection)
        members, total = await list_members(connection, audience.id, limit=wanted.limit, offset=wanted.offset)
    shown = [member_shown(member) for member in members]
    return call.answer(MemberList(data=shown, pagination=wanted.of(total)))


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
        shown = await _shown(connection, changed)
    return call.answer(AudienceAnswer(data=shown))


async def leave_audience(call: Call) -> Response:
    mind_id = call.id("mindId")
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        if not await remove_member(connection, audience.id, mind_id):
            raise MindNotFound
        await update_audience(connection, replace(audience, updated_at=call.services.clock()))
    return Response(status_code=204, headers=NO_STORE)


async def _shown(connection: AsyncConnection, audience: Audience) -> AudienceShown:
    members = await members_of(connection, [audience.id])
    return audience_shown(audience, members[audience.id])
