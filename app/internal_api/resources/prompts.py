"""What a language model of the caller's may be asked: the prompts of a completion, or of a question to a study."""

from dataclasses import replace

from starlette.responses import Response

from app.internal_api.engines.chat.sampled import SampledReplies
from app.internal_api.http.access import reachable
from app.internal_api.http.call import Call, json_response
from app.internal_api.http.operation import CHAT, FLOWS_WRITE, Operations
from app.internal_api.models.asking import MAX_PROMPTS, PlannedAsk, Prompt, Prompts
from app.internal_api.models.completion import CompletionRequest
from app.internal_api.panels.respondent import respond
from app.internal_api.resources.asking import members_asked, new_question, understood
from app.internal_api.resources.asking_sources import read_context
from app.internal_api.resources.completion import answer, persona_asked
from app.internal_api.store.studies import Study

NEWEST = 2**31 - 1  # the place of a question that is not stored: behind all others of its study

operations = Operations()


@operations("POST", "/minds/{mindId}/prompts", CHAT, Prompts, bodies=(CompletionRequest,), refusals=(409,))
async def read_completion_prompts(call: Call) -> Response:
    """What a language model of the caller's may be asked for a completion; an addition of this API."""
    asked = await call.asked(CompletionRequest, optional=True)
    persona, replies = await persona_asked(call, asked), SampledReplies({})
    if call.services.is_offline:
        await answer(replace(call, services=call.services.sampled(replies, "")), persona, asked)
    return _wanted(replies)


@operations("POST", "/studies/{studyId}/prompts", FLOWS_WRITE, Prompts, bodies=(PlannedAsk,), refusals=(409,))
async def read_study_prompts(call: Call) -> Response:
    """What a language model of the caller's may be asked for a question, once a mind; an addition of this API."""
    asked, replies = await call.asked(PlannedAsk), SampledReplies({})
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        members = await members_asked(connection, study, asked)
    if call.services.is_offline:
        services, now = call.services.sampled(replies, ""), call.services.clock()
        question = new_question(study, asked, await understood(asked), await read_context(call, asked), now)
        for mind_id in list(dict.fromkeys(one.mind_id for one in members if one.ready))[:MAX_PROMPTS]:
            await respond(services, replace(question, seq=NEWEST), mind_id)
    return _wanted(replies)


def _wanted(replies: SampledReplies) -> Response:
    return json_response(Prompts(prompts=[Prompt(id=key, messages=said) for key, said in replies.wanted.items()]))
