"""Asking a study: refused before anything is stored, stored at most once, and followed or left alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.engines.chat.sampled import SampledReplies
from app.internal_api.errors import BadRequest, Conflict, Unreachable
from app.internal_api.http.access import reachable
from app.internal_api.http.call import Call, event_stream, json_response, parse
from app.internal_api.http.operation import FLOWS_WRITE, operation
from app.internal_api.models import asking as models
from app.internal_api.panels.classifier import INVALID_CLASSIFICATION, ResponseFormat, classify, own_words
from app.internal_api.panels.respondent import respond
from app.internal_api.resources.asking_sources import read_context
from app.internal_api.resources.completion import prompts_wanted
from app.internal_api.resources.results import question_events
from app.internal_api.store import questions as store
from app.internal_api.store.rows import find_where, update_row
from app.internal_api.store.studies import Membership, Study, audiences_in, membership

QUALITATIVE = models.GivenClassification(type="qualitative")
SETTLED = frozenset({"response_form", "history_mode", "source_policy"})
COPIED = {*SETTLED, "client_request_id", "sampled", "follow_up_of"}
"""Fields of a request that become those of the question as they are."""
MUTE = {"failed": "TRAINING_FAILED", "empty": "EMPTY"}
"""Why a mind does not answer, by the status of its training; any other is just not ready yet."""

NEWEST = 2**31 - 1  # the place of a question that is not stored: behind all others of its study


@operation("POST", "/studies/{studyId}/ask", FLOWS_WRITE, models.QueuedAsk, body=models.AskStudy, refusals=(409,))
async def ask_study(call: Call) -> Response:
    """Put a question to everybody in a study, as an event stream or queued.

    The answers as they arrive, or a receipt; the same client request id is never asked twice.
    """
    return await _ask(call, await call.asked(models.AskStudy))


@operation("POST", "/studies/{studyId}/follow-up", FLOWS_WRITE, models.QueuedAsk, body=models.FollowUp, refusals=(409,))
async def ask_again(call: Call) -> Response:
    """Put a question to some of the minds in a study; an addition of this API."""
    return await _ask(call, await call.asked(models.FollowUp))


@operation("POST", "/studies/{studyId}/prompts", FLOWS_WRITE, models.Prompts, body=models.PlannedAsk, refusals=(409,))
async def read_study_prompts(call: Call) -> Response:
    """What a language model of the caller's may be asked for a question, once a mind; an addition of this API."""
    asked, replies = await call.asked(models.PlannedAsk), SampledReplies({})
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        members = await members_asked(connection, study, asked)
    if call.services.is_offline:
        services, now = call.services.sampled(replies, ""), call.services.clock()
        question = new_question(study, asked, await understood(asked), await read_context(call, asked), now)
        for mind_id in list(dict.fromkeys(one.mind_id for one in members if one.ready))[: models.MAX_PROMPTS]:
            await respond(services, replace(question, seq=NEWEST), mind_id)
    return prompts_wanted(replies)


async def _ask(call: Call, asked: models.AskStudy) -> Response:
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        question = await _repeated(connection, study, asked)
        if question is None:
            # Before anything is fetched, and again when it is stored.
            await members_asked(connection, study, asked)
    if question is None:
        response_format, context = await understood(asked), await read_context(call, asked)
        try:
            question = await _store(call, asked, response_format, context)
        except IntegrityError:
            # The same request came twice at the same moment, or the study was deleted at this one.
            question = await _store(call, asked, response_format, context)
        call.services.wake_panels.set()
    if asked.response_mode == "stream":
        return event_stream(question_events(call, question))
    async with call.services.read() as connection:
        count = await store.count_answers(connection, question.id)
    receipt = {"job_id": question.id, "question_block_id": question.id, "question_audience_id": question.id}
    return json_response(models.QueuedAsk(count=count, client_request_id=question.client_request_id, **receipt))


async def _store(call: Call, asked: models.AskStudy, response_format: ResponseFormat, context: str) -> store.Question:
    now = call.services.clock()
    async with call.services.engine.begin() as connection:
        study = await reachable(call, connection, Study)
        repeated = await _repeated(connection, study, asked)
        if repeated is not None:
            return repeated
        members = await members_asked(connection, study, asked)
        question = new_question(study, asked, response_format, context, now)
        await store.insert_question(connection, question, new_answers(question, members))
        await update_row(connection, Study, study.id, updated_at=now)
    return question


async def _repeated(connection: AsyncConnection, study: Study, asked: models.AskStudy) -> store.Question | None:
    """The question that this request asked before. Raises Conflict when it was another one."""
    if asked.client_request_id is None:
        return None
    of_request = store.questions.c.client_request_id == asked.client_request_id
    question = await find_where(connection, store.Question, store.questions.c.study_id == study.id, of_request)
    if question is not None and not await _is_same(connection, question, asked):
        message = "This clientRequestId belongs to another question; use a new one for each question"
        raise Conflict(message, {"code": "IDEMPOTENCY_CONFLICT"})
    return question


async def _is_same(connection: AsyncConnection, question: store.Question, asked: models.AskStudy) -> bool:
    """Whether all that the request says was so when the question was asked; what it leaves out may have been anything.

    Who only takes up a question again need not repeat more than its text.
    """
    given = asked.model_fields_set & SETTLED
    if question.text != asked.question or any(getattr(question, name) != getattr(asked, name) for name in given):
        return False
    stored = ResponseFormat(question.type, question.scale, tuple(question.options), question.most)
    if _given(asked) is not None and await understood(asked) != stored:
        return False
    if asked.audience_ids is None:
        return True
    frozen = await store.audiences_asked(connection, question.id)
    now = {member.audience_id for member in await membership(connection, question.study_id, asked.audience_ids)}
    return now <= frozen <= set(asked.audience_ids)


async def members_asked(connection: AsyncConnection, study: Study, asked: models.AskStudy) -> Sequence[Membership]:
    """Who is asked, as it is now. Raises ApiError when that is nobody."""
    only = asked.mind_ids if isinstance(asked, models.PlannedAsk) else ()
    attached = {audience.id for audience in (await audiences_in(connection, [study.id]))[study.id]}
    if not attached:
        raise BadRequest("This study has no audiences", {"code": "NO_AUDIENCES"})
    wanted = asked.audience_ids
    if wanted is not None and not set(wanted) <= attached:
        raise Unreachable("Audience")
    members = [one for one in await membership(connection, study.id, wanted) if not only or one.mind_id in only]
    if not members:
        raise BadRequest("There are no minds in these audiences", {"code": "NO_MINDS"})
    if not any(member.ready for member in members):
        names = {"mindId": "mind_id", "name": "mind_name", "audienceId": "audience_id"}
        names["trainingStatus"] = "training_status"
        not_ready = [{name: getattr(member, field) for name, field in names.items()} for member in members]
        message = "None of the minds of this panel is ready to answer yet"
        raise Conflict(message, {"code": "PANEL_MINDS_NOT_READY", "notReady": not_ready})
    return members


async def understood(asked: models.AskStudy) -> ResponseFormat:
    """Raises BadRequest for what contradicts itself."""
    return await asyncio.to_thread(classify, own_words(asked.question), _given(asked))


def _given(asked: models.AskStudy) -> models.GivenClassification | None:
    if asked.classification is None:
        return QUALITATIVE if asked.disable_question_classifier else None
    try:
        return parse(models.GivenClassification, asked.classification)
    except BadRequest as refusal:
        inside = isinstance(asked.classification, dict)
        raise BadRequest(
            f"classification{'.' if inside else ' '}{refusal.message}", {"code": INVALID_CLASSIFICATION}
        ) from None


def new_question(
    study: Study, asked: models.AskStudy, response_format: ResponseFormat, context: str, now: int
) -> store.Question:
    """A question that waits for a worker."""
    low, high = response_format.scale or (None, None)
    return store.Question(
        study_id=study.id,
        owner_id=study.owner_id,
        text=asked.question,
        type=response_format.type,
        scale_low=low,
        scale_high=high,
        options=list(response_format.options),
        most=response_format.most,
        context=context,
        created_at=now,
        **asked.model_dump(include=COPIED),
    )


def new_answers(question: store.Question, members: Sequence[Membership]) -> list[store.Answer]:
    """One for each member; those that are not ready are counted, not asked: their rows have failed."""
    return [
        store.Answer(
            question_id=question.id,
            position=position,
            status="pending" if member.ready else "failed",
            error_code=None if member.ready else MUTE.get(member.training_status, "NOT_READY"),
            answered_at=None if member.ready else question.created_at,
            **{name: getattr(member, name) for name in store.MEMBER},
        )
        for position, member in enumerate(members)
    ]
