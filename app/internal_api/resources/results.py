"""What a study was answered: every persona's answer to one question, and the figures of the whole study."""

import asyncio

from starlette.responses import Response

from app.internal_api.errors import BadRequest, NotFound
from app.internal_api.http.access import reachable
from app.internal_api.http.call import Call, json_response
from app.internal_api.http.operation import FLOWS_READ, Operations
from app.internal_api.models.outputs import MessageAnswers, StudyOutputData
from app.internal_api.panels.analytics import StudyAnalytics, study_analytics
from app.internal_api.panels.output import study_output
from app.internal_api.store.questions import answers_of, find_question_of_message, list_questions
from app.internal_api.store.studies import Study, membership

ONE = "/studies/{studyId}"
SCOPES = ("full", "preview")
PREVIEWED = 3

operations = Operations()


@operations(
    "GET",
    f"{ONE}/messages/{{messageId}}/answers",
    FLOWS_READ,
    MessageAnswers,
    query={"scope": {"type": "string", "enum": list(SCOPES), "default": SCOPES[0]}},
)
async def get_message_answers(call: Call) -> Response:
    """Every persona's answer to one question.

    What there is, also while the question is still being answered; either message of a question will do.
    """
    scope = call.query("scope") or "full"
    if scope not in SCOPES:
        raise BadRequest(f"scope must be one of {', '.join(SCOPES)}")
    message_id = call.id("messageId")
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        question = await find_question_of_message(connection, study.id, message_id)
        if question is None:
            raise NotFound("Message not found")
        found = await answers_of(connection, question.id)

    def answered() -> Response:
        output = study_output(question, found)
        shown = preview(output) if scope == "preview" else output
        return json_response(MessageAnswers(message_id=question.answer_message_id, output_data=shown))

    return await asyncio.to_thread(answered)  # it holds all answers


def preview(output: StudyOutputData) -> StudyOutputData:
    """The first few answers of each group; the figures stay those of all."""
    shown = [group.model_copy(update={"answers": group.answers[:PREVIEWED]}) for group in output.audiences]
    return output.model_copy(update={"audiences": shown})


@operations("GET", f"{ONE}/analytics", FLOWS_READ, StudyAnalytics)
async def get_study_analytics(call: Call) -> Response:
    """The figures of a whole study.

    Question by question, in threads: the answers of many questions at once would hold up everybody else.
    """
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        members = await membership(connection, study.id)
        results = []
        for question in await list_questions(connection, study.id):
            found = await answers_of(connection, question.id)
            results.append(await asyncio.to_thread(study_output, question, found))
    groups = {member.audience_id for member in members}
    minds = {member.mind_id for member in members}
    return json_response(await asyncio.to_thread(study_analytics, study.name, len(groups), len(minds), results))
