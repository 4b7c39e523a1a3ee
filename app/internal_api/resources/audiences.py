"""Audiences: listed, created at most once for each key, read, renamed, deleted; minds join and leave them."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Literal, Self
from uuid import uuid4

from pydantic import AfterValidator, Field, model_validator
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
    made_before,
)
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, PAGE, Operations
from app.internal_api.models.wire import PLAIN, Data, Id, Listed, RequestModel, ResponseModel, Time, Uuid, trimmed
from app.internal_api.store import audiences as store

COLLECTION = "/audiences"
ONE = "/audiences/{audienceId}"
MAX_MEMBERS = 1000
GroupName = Annotated[str, trimmed(1, 200), PLAIN]


def once(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each value where it came first."""
    return tuple(dict.fromkeys(values))


def some(values: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse to name nobody, in words that say what to do."""
    if not values:
        message = "must name at least one mind"
        raise ValueError(message)
    return values


MindIds = Annotated[tuple[Uuid, ...], Field(max_length=MAX_MEMBERS), AfterValidator(once)]
SomeMindIds = Annotated[MindIds, AfterValidator(some), Field(json_schema_extra={"minItems": 1})]


class CreateAudience(RequestModel):
    """The body of `POST /audiences`."""

    name: GroupName
    mind_ids: MindIds = ()
    is_link_sharing_enabled: bool = False


class ChangeAudience(RequestModel):
    """The body of `PUT /audiences/{audienceId}`: what is left out stays as it is."""

    name: GroupName | None = None
    is_link_sharing_enabled: bool | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.name is None and self.is_link_sharing_enabled is None:
            message = "No valid fields to update; give name or isLinkSharingEnabled"
            raise ValueError(message)
        return self


class AddMembers(RequestModel):
    """The body of `POST /audiences/{audienceId}/members`."""

    mind_ids: SomeMindIds


class AudienceMember(ResponseModel):
    """A mind in an audience."""

    id: Id
    name: str
    discipline: str | None
    profile_image_url: str | None


class AudienceShown(ResponseModel):
    """An audience as its owner sees it; here every audience belongs to one account and is shared by link at most."""

    id: Id
    name: str
    mind_count: int
    mind_ids: list[Id]
    minds: list[AudienceMember]
    is_public: Literal[False] = False
    is_shared_with_team: Literal[False] = False
    is_link_sharing_enabled: bool
    public_share_id: str | None
    current_member_role: Literal["owner"] = "owner"
    created_at: Time
    updated_at: Time


ANSWER = {200: Data[AudienceShown]}

operations = Operations()


@operations.get(COLLECTION, FLOWS_READ, Listed[AudienceShown], query=PAGE)
async def list_audiences(call: Call) -> Response:
    """The caller's audiences."""
    page = call.page()
    async with call.services.read() as connection:
        owner_id = account(call.principal)
        found, total = await store.list_audiences(connection, owner_id, limit=page.limit, offset=page.offset)
        members = await store.members_of(connection, [audience.id for audience in found])

    def listed() -> Response:
        data = [audience_shown(audience, members[audience.id]) for audience in found]
        return json_response(Listed(data=data, pagination=page.of(total)))

    return await asyncio.to_thread(listed)  # a page may hold a hundred thousand minds


@operations.post(
    COLLECTION,
    FLOWS_WRITE,
    {201: Data[AudienceShown], **ANSWER},
    bodies=(CreateAudience,),
    headers={IDEMPOTENCY_HEADER: "a repeat within a day answers 200 with the same audience; another body, 409"},
    refusals=(409,),
)
async def create_audience(call: Call) -> Response:
    """Create an audience of minds."""
    owner_id = account(call.principal)
    asked = await call.asked(CreateAudience)
    try:
        return await _create_once(call, owner_id, asked)
    except IntegrityError:
        # The same key came twice at the same moment, and the other request was first.
        return await _create_once(call, owner_id, asked)


async def _create_once(call: Call, owner_id: str, asked: CreateAudience) -> Response:
    now, key = call.services.clock(), idempotency_key(call)
    async with call.services.engine.begin() as connection:
        if (earlier := await made_before(call, connection, store.audiences, store.Audience, asked)) is not None:
            return await _answer(connection, earlier)
        await require_minds(connection, owner_id, asked.mind_ids)
        named = store.Audience(owner_id=owner_id, name=asked.name, created_at=now, updated_at=now)
        keyed = replace(named, idempotency_key=key, idempotency_digest=key and body_digest(asked))
        audience = shared(keyed, enabled=asked.is_link_sharing_enabled)
        await store.insert_audience(connection, audience, asked.mind_ids)
        return await _answer(connection, audience, 201)


def shared(audience: store.Audience, *, enabled: bool) -> store.Audience:
    """Sharing mints an id; to end it takes that id away for ever."""
    share_id = (audience.public_share_id or str(uuid4())) if enabled else None
    return replace(audience, is_link_sharing_enabled=enabled, public_share_id=share_id)


async def require_minds(connection: AsyncConnection, owner_id: str, mind_ids: Sequence[str]) -> None:
    """Raises MindNotFound unless all of them are the owner's lasting minds, without saying which one is not."""
    if set(mind_ids) - await store.owned_minds(connection, owner_id, mind_ids):
        raise MindNotFound


@operations.get(ONE, FLOWS_READ, ANSWER)
async def get_audience(call: Call) -> Response:
    """One audience with its minds."""
    async with call.services.read() as connection:
        return await _answer(connection, await reachable_audience(call, connection))


@operations.put(ONE, FLOWS_WRITE, ANSWER, bodies=(ChangeAudience,))
async def update_audience(call: Call) -> Response:
    """Rename an audience, or share it by link."""
    asked = await call.asked(ChangeAudience)
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        changed = replace(audience, name=asked.name or audience.name, updated_at=call.services.clock())
        if asked.is_link_sharing_enabled is not None:
            changed = shared(changed, enabled=asked.is_link_sharing_enabled)
        await store.update_audience(connection, changed)
        return await _answer(connection, changed)


@operations.delete(ONE, FLOWS_WRITE)
async def delete_audience(call: Call) -> Response:
    """Delete an audience; its minds and past answers stay."""
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        await store.delete_audience(connection, audience.id)
    return no_content()


@operations.post(f"{ONE}/members", FLOWS_WRITE, ANSWER, bodies=(AddMembers,))
async def add_audience_members(call: Call) -> Response:
    """Add minds to an audience.

    Who is a member already keeps the place; the others come after, in the order given.
    """
    asked = await call.asked(AddMembers)
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        await require_minds(connection, audience.owner_id, asked.mind_ids)
        places = await store.member_places(connection, audience.id)
        joining = [mind_id for mind_id in asked.mind_ids if mind_id not in places]
        if len(places) + len(joining) > MAX_MEMBERS:
            raise BadRequest(f"An audience holds at most {MAX_MEMBERS} minds; this one has {len(places)}")
        await store.add_members(connection, audience.id, joining, after=max(places.values(), default=-1) + 1)
        changed = replace(audience, updated_at=call.services.clock())
        await store.update_audience(connection, changed)
        return await _answer(connection, changed)


@operations.delete(f"{ONE}/members/{{mindId}}", FLOWS_WRITE)
async def remove_audience_member(call: Call) -> Response:
    """Take a mind out of an audience."""
    mind_id = call.id("mindId")
    async with call.services.engine.begin() as connection:
        audience = await reachable_audience(call, connection, lock=True)
        if not await store.remove_member(connection, audience.id, mind_id):
            raise MindNotFound
        await store.update_audience(connection, replace(audience, updated_at=call.services.clock()))
    return no_content()


async def _answer(connection: AsyncConnection, audience: store.Audience, status: int = 200) -> Response:
    members = await store.members_of(connection, [audience.id])
    return json_response(Data(data=audience_shown(audience, members[audience.id])), status)


def audience_shown(audience: store.Audience, members: Sequence[store.Member]) -> AudienceShown:
    ids = [member.id for member in members]
    return AudienceShown.model_validate({**asdict(audience), "mind_count": len(ids), "mind_ids": ids, "minds": members})
