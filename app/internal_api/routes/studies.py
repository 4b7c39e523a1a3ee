"""Studies: listed, created with their audiences or not at all, read with what was asked in them, deleted."""

import asyncio
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import AudienceNotFound
from app.internal_api.models.studies import CreatedStudy, CreateStudy, StudyAnswer, StudyDetail, StudyList, StudySummary
from app.internal_api.panels.transcript import Transcript
from app.internal_api.routes.access import account, reachable_study
from app.internal_api.routes.audiences import draft_audience, require_minds
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.paging import page
from app.internal_api.routes.shown_groups import study_fields
from app.internal_api.store.audiences import insert_audience, members_of, owned_audiences
from app.internal_api.store.questions import answers_of, list_questions
from app.internal_api.store.studies import (
    Study,
    audiences_in,
    delete_study,
    insert_study,
    list_studies,
    message_counts,
)


async def read_studies(call: Call) -> Response:
    wanted = page(call)
    async with call.services.read() as connection:
        owner_id = account(call.principal)
        found, total = await list_studies(connection, owner_id, limit=wanted.limit, offset=wanted.offset)
        ids = [study.id for study in found]
        attached = await audiences_in(connection, ids)
        counts = await message_counts(connection, ids)
        everyone = {audience.id: None for some in attached.values() for audience in some}
        members = await members_of(connection, [*everyone])

    def listed() -> Response:
        shown = [StudySummary(**study_fields(study, attached[study.id], members, counts[study.id])) for study in found]
        return call.answer(StudyList(data=shown, pagination=wanted.of(total)))

    return await asyncio.to_thread(listed)  # aside, since a page may hold very many minds


async def create_study(call: Call) -> Response:
    owner_id, now = account(call.principal), call.services.clock()
    asked = await call.asked(CreateStudy)
    study = Study(
        id=str(uuid4()),
        owner_id=owner_id,
        name=asked.name,
        is_link_sharing_enabled=asked.is_link_sharing_enabled,
        public_share_id=str(uuid4()) if asked.is_link_sharing_enabled else None,
        created_at=now,
        updated_at=now,
    )
    async with call.services.engine.begin() as connection:
        audience_ids = await _audiences_for(connection, owner_id, asked, now)
        await insert_study(connection, study, audience_ids)
        attached = (await audiences_in(connection, [study.id]))[study.id]
        members = await members_of(connection, audience_ids)

    def created() -> Response:
        return call.answer(CreatedStudy(data=StudySummary(**study_fields(study, attached, members, 0))), 201)

    return await asyncio.to_thread(created)  # aside, since it may have very many minds


async def _audiences_for(connection: AsyncConnection, owner_id: str, asked: CreateStudy, now: int) -> list[str]:
    """Those that were named, then those that were described, which are made here. Raises NotFound."""
    if set(asked.audience_ids) - set(await owned_audiences(connection, owner_id, asked.audience_ids)):
        raise AudienceNotFound
    made = [(draft_audience(owner_id, config.name, now), config.mind_ids) for config in asked.audience_configs]
    await require_minds(connection, owner_id, [*{mind_id: None for _, mind_ids in made for mind_id in mind_ids}])
    for audience, mind_ids in made:
        await insert_audience(connection, audience, mind_ids)
    return [*asked.audience_ids, *(audience.id for audience, _ in made)]


async def read_study(call: Call) -> Response:
    async with call.services.read() as connection:
        study = await reachable_study(call, connection)
        attached = (await audiences_in(connection, [study.id]))[study.id]
        members = await members_of(connection, [audience.id for audience in attached])
        questions = await list_questions(connection, study.id)
        transcript = Transcript()
        for question in reversed(questions):
            # Aside, and one by one: the answers of a long study take more time and memory than others can spare.
            await asyncio.to_thread(transcript.add, question, await answers_of(connection, question.id))

    def detailed() -> Response:
        said = transcript.messages()
        fields = study_fields(study, attached, members, len(said))
        return call.answer(StudyAnswer(data=StudyDetail(**fields, messages=said)))

    return await asyncio.to_thread(detailed)


async def remove_study(call: Call) -> Response:
    async with call.services.engine.begin() as connection:
        study = await reachable_study(call, connection)
        await delete_study(connection, study.id)
    return Response(status_code=204, headers=NO_STORE)
