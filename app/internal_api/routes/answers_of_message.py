"""`GET /studies/{studyId}/messages/{messageId}/answers`: every persona's answer to one question."""

import asyncio

from starlette.responses import Response

from app.internal_api.dialect import mirrored
from app.internal_api.errors import BadRequest, NotFound
from app.internal_api.models.outputs import MessageAnswers, StudyOutputData
from app.internal_api.panels.output import study_output
from app.internal_api.routes.access import reachable_study
from app.internal_api.routes.call import Call, json_response
from app.internal_api.store.questions import answers_of
from app.internal_api.store.results import find_question_of_message

SCOPES = ("full", "preview")
PREVIEWED = 3


async def read_message_answers(call: Call) -> Response:
    """What there is, also while the question is still being answered; either message of a question will do."""
    scope = call.request.query_params.get("scope", "full")
    if scope not in SCOPES:
        raise BadRequest(f"scope must be one of {', '.join(SCOPES)}")
    message_id = call.id("messageId")
    async with call.services.read() as connection:
        study = await reachable_study(call, connection)
        question = await find_question_of_message(connection, study.id, message_id)
        if question is None:
            raise NotFound("Message not found")
        found = await answers_of(connection, question.id)

    def answered() -> Response:
        output = study_output(question, found)
        shown = preview(output) if scope == "preview" else output
        told = call.wire(MessageAnswers(message_id=question.answer_message_id, output_data=shown))
        return json_response({**told, "outputData": mirrored(told["outputData"])})

    return await asyncio.to_thread(answered)  # aside, since it holds all answers


def preview(output: StudyOutputData) -> StudyOutputData:
    """The first few answers of each group; the figures stay those of all."""
    shown = [group.model_copy(update={"answers": group.answers[:PREVIEWED]}) for group in output.audiences]
    return output.model_copy(update={"audiences": shown})
