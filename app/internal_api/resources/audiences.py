"""Audiences: listed, created at most once for each key, read, renamed, deleted; minds join and leave them."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import AfterValidator, Field, model_validator
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, Unreachable
from app.internal_api.http.access import (
    IDEMPOTENCY_HEADER,
    account,
    body_digest,
    idempotency_key,
    made_before,
    reachable,
)
from app.internal_api.http.call import NO_STORE, Call, json_response
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, PAGE, Operations
from app.internal_api.models.wire import (
    PLAIN,
    Data,
    Id,
    Listed,
    Pagination,
    RequestModel,
    ResponseModel,
    Time,
    Uuid,
    trimmed,
)
from app.internal_api.store import audiences as store
from app.internal_api.store.audiences import Audience
from app.internal_api.store.minds import minds
from app.internal_api.store.rows import delete_row, find_page, link, owned_ids, update_row

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
        raise ValueError("must name at least one mind")
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
            raise ValueError("No valid fields to update; give name or isLinkSharingEnabled")
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


class AudienceDetail(ResponseModel):
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


ANSWER = {200: Data[AudienceDetail]}

operations = Operations()


@operations("GET", COLLECTION, FLOWS_READ, Listed[AudienceDetail], query=PAGE)
async def list_audiences(call: Call) -> Response:
    """The caller's audiences."""
    page = call.page()
    async with call.services.read() as connection:
        owned = store.audiences.c.owner_id == account(call.principal)
        found, total = await find_page(connection, Audience, owned, **page)
        members = await store.members_of(connection, [audience.id for audience in found])

    def listed() -> Response:
        data = [_detail(audience, members[audience.id]) for audience in found]
        return json_response(Listed(data=data, pagination=Pagination(total=total, **page)))

    return await asyncio.to_thread(listed)  # a page may hold a hundred thousand minds


@operations(
    "POST",
    COLLECTION,
    FLOWS_WRITE,
    {201: Data[AudienceDetail], **ANSWER},
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
        if (earlier := await made_before(call, connection, Audience, asked)) is not None:
            return await _answer(connection, earlier)
        await require_minds(connection, owner_id, asked.mind_ids)
        audience = Audience(
            owner_id=owner_id,
            name=asked.name,
            **sharing(enabled=asked.is_link_sharing_enabled),
            idempotency_key=key,
            idempotency_digest=key and body_digest(asked),
            created_at=now,
            updated_at=now,
        )
        await store.insert_audience(connection, audience, asked.mind_ids)
        return await _answer(connection, audience, 201)


def sharing(share_id: str | None = None, *, enabled: bool) -> dict[str, Any]:
    """Sharing mints an id; to end it takes that id away for ever."""
    return {"is_link_sharing_enabled": enabled, "public_share_id": (share_id or str(uuid4())) if enabled else None}


async def require_minds(connection: AsyncConnection, owner_id: str, mind_ids: Sequence[str]) -> None:
    """Raises Unreachable unless all of them are the owner's lasting minds, without saying which one is not."""
    lasting = minds.c.demo_token_hash.is_(None)
    if set(mind_ids) - await owned_ids(connection, minds, owner_id, mind_ids, lasting):
        raise Unreachable("Mind")


@operations("GET", ONE, FLOWS_READ, ANSWER)
async def get_audience(call: Call) -> Response:
    """One audience with its minds."""
    async with call.services.read() as connection:
        return await _answer(connection, await reachable(call, connection, Audience))


@operations("PUT", ONE, FLOWS_WRITE, ANSWER, bodies=(ChangeAudience,))
async def update_audience(call: Call) -> Response:
    """Rename an audience, or share it by link."""
    asked = await call.asked(ChangeAudience)
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        changed: dict[str, Any] = {"name": asked.name or audience.name}
        if asked.is_link_sharing_enabled is not None:
            changed |= sharing(audience.public_share_id, enabled=asked.is_link_sharing_enabled)
        return await _answer(connection, await _change(call, connection, audience, **changed))


@operations("DELETE", ONE, FLOWS_WRITE, {204: None})
async def delete_audience(call: Call) -> Response:
    """Delete an audience; its minds and past answers stay."""
    async with call.services.engine.begin() as connection:
        await delete_row(connection, Audience, (await reachable(call, connection, Audience, lock=True)).id)
    return Response(status_code=204, headers=NO_STORE)


@operations("POST", f"{ONE}/members", FLOWS_WRITE, ANSWER, bodies=(AddMembers,))
async def add_audience_members(call: Call) -> Response:
    """Add minds to an audience.

    Who is a member already keeps the place; the others come after, in the order given.
    """
    asked = await call.asked(AddMembers)
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        await require_minds(connection, audience.owner_id, asked.mind_ids)
        members = store.audience_members.c
        placed = select(members.mind_id, members.position).where(members.audience_id == audience.id)
        places: dict[str, int] = dict((await connection.execute(placed)).all())
        joining = [mind_id for mind_id in asked.mind_ids if mind_id not in places]
        if len(places) + len(joining) > MAX_MEMBERS:
            raise BadRequest(f"An audience holds at most {MAX_MEMBERS} minds; this one has {len(places)}")
        behind = max(places.values(), default=-1) + 1
        await link(connection, store.audience_members, audience.id, joining, after=behind)
        return await _answer(connection, await _change(call, connection, audience))


@operations("DELETE", f"{ONE}/members/{{mindId}}", FLOWS_WRITE, {204: None})
async def remove_audience_member(call: Call) -> Response:
    """Take a mind out of an audience."""
    mind_id = call.id("mindId")
    async with call.services.engine.begin() as connection:
        audience = await reachable(call, connection, Audience, lock=True)
        members = store.audience_members.c
        gone = delete(store.audience_members).where(members.audience_id == audience.id, members.mind_id == mind_id)
        if not (await connection.execute(gone)).rowcount:
            raise Unreachable("Mind")
        await _change(call, connection, audience)
    return Response(status_code=204, headers=NO_STORE)


async def _change(call: Call, connection: AsyncConnection, audience: Audience, **changed: Any) -> Audience:
    changed["updated_at"] = call.services.clock()
    await update_row(connection, Audience, audience.id, **changed)
    return replace(audience, **changed)


async def _answer(connection: AsyncConnection, audience: Audience, status: int = 200) -> Response:
    members = await store.members_of(connection, [audience.id])
    return json_response(Data(data=_detail(audience, members[audience.id])), status)


def _detail(audience: Audience, members: Sequence[store.Member]) -> AudienceDetail:
    ids = [member.id for member in members]
    return AudienceDetail.model_validate(
        {**asdict(audience), "mind_count": len(ids), "mind_ids": ids, "minds": members}
    )
