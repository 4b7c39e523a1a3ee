"""Studies: listed, created with their audiences or not at all, read with what was asked in them, deleted."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import Unreachable
from app.internal_api.http.access import account, reachable
from app.internal_api.http.call import NO_STORE, Call, json_response, list_response
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, operation
from app.internal_api.models.studies import AudienceMember, CreateStudy, StudyDetail, StudySummary
from app.internal_api.models.wire import Data, Listed, Page
from app.internal_api.panels.output import Transcript
from app.internal_api.resources.audiences import require_minds, sharing
from app.internal_api.store import studies as store
from app.internal_api.store.questions import answers_of, list_questions
from app.internal_api.store.rows import delete_row, find_page, insert_row, link, owned_ids
from app.internal_api.store.studies import Audience, Study

COLLECTION = "/studies"
ONE = "/studies/{studyId}"


@operation("GET", COLLECTION, FLOWS_READ, Listed[StudySummary], query=Page)
async def list_studies(call: Call) -> Response:
    """The caller's studies, the one that changed last first."""
    page = call.queried(Page).model_dump()
    async with call.services.read() as connection:
        owned, newest_by = store.studies.c.owner_id == account(call.principal), ("updated_at", "created_at")
        found, total = await find_page(connection, Study, owned, newest_by=newest_by, **page)
        ids = [study.id for study in found]
        attached = await store.audiences_in(connection, ids)
        counts = await store.message_counts(connection, ids)
        everyone = {audience.id: None for some in attached.values() for audience in some}
        members = await store.members_of(connection, [*everyone])
    shown = [_fields(study, attached[study.id], members, counts[study.id]) for study in found]
    # In a thread, since a page may hold very many minds.
    return await asyncio.to_thread(lambda: list_response([*map(StudySummary.model_validate, shown)], total, page))


@operation("POST", COLLECTION, FLOWS_WRITE, {201: Data[StudySummary]}, body=CreateStudy)
async def create_study(call: Call) -> Response:
    """Create a study with its audiences, all or nothing."""
    owner_id, now = account(call.principal), call.services.clock()
    asked = await call.asked(CreateStudy)
    shared = sharing(enabled=asked.is_link_sharing_enabled)
    study = Study(owner_id=owner_id, name=asked.name, **shared, created_at=now, updated_at=now)
    async with call.services.engine.begin() as connection:
        audience_ids = await _audiences_for(connection, owner_id, asked, now)
        await insert_row(connection, study)
        await link(connection, store.study_audiences, study.id, audience_ids)
        attached = (await store.audiences_in(connection, [study.id]))[study.id]
        members = await store.members_of(connection, audience_ids)
    fields = _fields(study, attached, members, 0)
    # In a thread, since it may have very many minds.
    return await asyncio.to_thread(lambda: json_response(Data(data=StudySummary.model_validate(fields)), 201))


async def _audiences_for(connection: AsyncConnection, owner_id: str, asked: CreateStudy, now: int) -> list[str]:
    """Those that were named, then those that were described, which are made here. Raises NotFound."""
    if set(asked.audience_ids) - await owned_ids(connection, store.audiences, owner_id, asked.audience_ids):
        raise Unreachable("Audience")
    everybody = {mind_id: None for config in asked.audience_configs for mind_id in config.mind_ids}
    await require_minds(connection, owner_id, [*everybody])
    ids = list(asked.audience_ids)
    for config in asked.audience_configs:
        audience = Audience(owner_id=owner_id, name=config.name, created_at=now, updated_at=now)
        await store.insert_audience(connection, audience, config.mind_ids)
        ids.append(audience.id)
    return ids


@operation("GET", ONE, FLOWS_READ, Data[StudyDetail])
async def get_study(call: Call) -> Response:
    """One study with its messages."""
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        attached = (await store.audiences_in(connection, [study.id]))[study.id]
        members = await store.members_of(connection, [audience.id for audience in attached])
        questions = await list_questions(connection, study.id)
        transcript = Transcript()
        for question in reversed(questions):
            # In a thread, one by one: the answers of a long study take more time and memory than others can spare.
            await asyncio.to_thread(transcript.add, question, await answers_of(connection, question.id))
    fields = {**_fields(study, attached, members, len(transcript.messages)), "messages": transcript.messages}
    return await asyncio.to_thread(lambda: json_response(Data(data=StudyDetail.model_validate(fields))))


@operation("DELETE", ONE, FLOWS_WRITE, {204: None})
async def delete_study(call: Call) -> Response:
    """Delete a study with what was asked in it; its audiences stay."""
    async with call.services.engine.begin() as connection:
        await delete_row(connection, Study, (await reachable(call, connection, Study)).id)
    return Response(status_code=204, headers=NO_STORE)


def _fields(
    study: Study, attached: Sequence[Audience], members: Mapping[str, Sequence[AudienceMember]], message_count: int
) -> dict[str, Any]:
    """What every shape of a study has."""
    audiences = [
        {"id": one.id, "name": one.name, "mind_count": len(members[one.id]), "minds": members[one.id]}
        for one in attached
    ]
    return {**asdict(study), "message_count": message_count, "audiences": audiences}
