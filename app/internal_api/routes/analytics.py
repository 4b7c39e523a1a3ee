"""`GET /studies/{studyId}/analytics`: the figures of a whole study."""

import asyncio

from starlette.responses import Response

from app.internal_api.panels.analytics import study_analytics
from app.internal_api.panels.output import study_output
from app.internal_api.routes.access import reachable_study
from app.internal_api.routes.call import Call
from app.internal_api.store.questions import answers_of, list_questions
from app.internal_api.store.studies import membership


async def read_analytics(call: Call) -> Response:
    """Question by question, and aside: the answers of many questions at once would hold up everybody else."""
    async with call.services.read() as connection:
        study = await reachable_study(call, connection)
        members = await membership(connection, study.id)
        results = []
        for question in await list_questions(connection, study.id):
            found = await answers_of(connection, question.id)
            results.append(await asyncio.to_thread(study_output, question, found))
    groups = {member.audience_id for member in members}
    minds = {member.mind_id for member in members}
    return call.answer(await asyncio.to_thread(study_analytics, study.name, len(groups), len(minds), results))
