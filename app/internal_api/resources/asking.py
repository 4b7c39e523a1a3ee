"""Asking a study: refused before anything is stored, stored at most once, and followed or left alone."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, Conflict, TooLarge, Unreachable
from app.internal_api.http.access import reachable
from app.internal_api.http.call import Call, event_stream, json_response, parse
from app.internal_api.http.operation import FLOWS_WRITE, Operations
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extract import ACCEPTED, is_hopeless
from app.internal_api.models.asking import AskStudy, GivenClassification, QueuedAsk
from app.internal_api.panels.classifier import classify
from app.internal_api.panels.new_rows import Source, context_of, new_answers, new_question, storable
from app.internal_api.panels.response_format import (
    INVALID_CLASSIFICATION,
    InvalidFormat,
    PrescribedFormat,
    ResponseFormat,
)
from app.internal_api.resources.question_events import question_events
from app.internal_api.store.questions import Question, audiences_asked, count_answers, find_request, insert_question
from app.internal_api.store.rows import update_row
from app.internal_api.store.studies import Membership, Study, audiences_in, membership

QUALITATIVE = PrescribedFormat(type="qualitative")
SETTLED = frozenset({"response_form", "history_mode", "source_policy"})

operations = Operations()


@operations("POST", "/studies/{studyId}/ask", FLOWS_WRITE, QueuedAsk, bodies=(AskStudy,), refusals=(409,))
async def ask_study(call: Call) -> Response:
    """Put a question to everybody in a study, as an event stream or queued.

    The answers as they land, or a receipt; the same client request id is never asked twice.
    """
    asked = await call.asked(AskStudy)
    question = await _known(call, asked) or await _ask_new(call, asked)
    if asked.response_mode == "stream":
        return event_stream(question_events(call, question))
    async with call.services.read() as connection:
        count = await count_answers(connection, question.id)
    receipt = {"job_id": question.id, "question_block_id": question.id, "question_audience_id": question.id}
    return json_response(QueuedAsk(count=count, client_request_id=question.client_request_id, **receipt))


async def _known(call: Call, asked: AskStudy) -> Question | None:
    async with call.services.read() as connection:
        study = await reachable(call, connection, Study)
        question = await _repeated(connection, study, asked)
        if question is None:
            # Before anything is fetched, and again when it is stored.
            await _members(connection, study, asked)
    return question


async def _ask_new(call: Call, asked: AskStudy) -> Question:
    understood = await _understood(asked)
    context = await read_context(call, asked)
    try:
        question = await _store(call, asked, understood, context)
    except IntegrityError:
        # The same request came twice at the same moment, or the study was deleted at this one.
        question = await _store(call, asked, understood, context)
    call.services.hub.wake.set()
    return question


async def _store(call: Call, asked: AskStudy, understood: ResponseFormat, context: str) -> Question:
    now = call.services.clock()
    async with call.services.engine.begin() as connection:
        study = await reachable(call, connection, Study)
        repeated = await _repeated(connection, study, asked)
        if repeated is not None:
            return repeated
        members = await _members(connection, study, asked)
        question = new_question(study, asked, understood, context, now)
        await insert_question(connection, question, new_answers(question, members))
        await update_row(connection, Study, study.id, updated_at=now)
    return question


async def _repeated(connection: AsyncConnection, study: Study, asked: AskStudy) -> Question | None:
    """The question that this request asked before. Raises Conflict when it was another one."""
    if asked.client_request_id is None:
        return None
    question = await find_request(connection, study.id, asked.client_request_id)
    if question is not None and not await _is_same(connection, question, asked):
        message = "This clientRequestId belongs to another question; use a new one for each question"
        raise Conflict(message, {"code": "IDEMPOTENCY_CONFLICT"})
    return question


async def _is_same(connection: AsyncConnection, question: Question, asked: AskStudy) -> bool:
    """Whether all that the request says was so when the question was asked; what it leaves out may have been anything.

    Who only takes up a question again need not repeat more than its text.
    """
    given = asked.model_fields_set & SETTLED
    if question.text != asked.question or any(getattr(question, name) != getattr(asked, name) for name in given):
        return False
    stored = ResponseFormat(question.type, question.scale, tuple(question.options), question.most)
    if _wish(asked) is not None and await _understood(asked) != stored:
        return False
    if asked.audience_ids is None:
        return True
    frozen = await audiences_asked(connection, question.id)
    now = {member.audience_id for member in await membership(connection, question.study_id, asked.audience_ids)}
    return now <= frozen <= set(asked.audience_ids)


async def _members(connection: AsyncConnection, study: Study, asked: AskStudy) -> Sequence[Membership]:
    """Who is asked, as it is now. Raises ApiError when that is nobody."""
    attached = {audience.id for audience in (await audiences_in(connection, [study.id]))[study.id]}
    if not attached:
        raise BadRequest("This study has no audiences", {"code": "NO_AUDIENCES"})
    wanted = asked.audience_ids
    if wanted is not None and not set(wanted) <= attached:
        raise Unreachable("Audience")
    members = await membership(connection, study.id, wanted)
    if not members:
        raise BadRequest("There are no minds in these audiences", {"code": "NO_MINDS"})
    if not any(member.ready for member in members):
        not_ready = [
            {
                "mindId": member.mind_id,
                "name": member.mind_name,
                "audienceId": member.audience_id,
                "trainingStatus": member.training_status,
            }
            for member in members
        ]
        message = "None of the minds of this panel is ready to answer yet"
        raise Conflict(message, {"code": "PANEL_MINDS_NOT_READY", "notReady": not_ready})
    return members


async def _understood(asked: AskStudy) -> ResponseFormat:
    """Raises BadRequest for what contradicts itself."""
    try:
        return await asyncio.to_thread(classify, asked.question, _wish(asked))
    except InvalidFormat as refusal:
        raise BadRequest(refusal.message, {"code": refusal.code}) from None


def _wish(asked: AskStudy) -> PrescribedFormat | None:
    if asked.classification is None:
        return QUALITATIVE if asked.disable_question_classifier else None
    try:
        given = parse(GivenClassification, asked.classification)
    except BadRequest as refusal:
        inside = isinstance(asked.classification, dict)
        raise BadRequest(
            f"classification{'.' if inside else ' '}{refusal.message}", {"code": INVALID_CLASSIFICATION}
        ) from None
    return PrescribedFormat(given.type, given.scale_range, given.options, given.most)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One address to read; `place` is where it stands in the request."""

    place: str
    url: str
    name: str
    media_type: str = ""


async def read_context(call: Call, asked: AskStudy) -> str:
    """The text of everything that was attached. Raises ApiError, which says what cannot be read and why."""
    wanted = list(_wanted(asked))
    for each in wanted:
        await _admit(call, each)
    # All are waited for, so that the first of the faults is always the one that is reported.
    read = await asyncio.gather(*(_read(call, each) for each in wanted), return_exceptions=True)
    sources = []
    for found in read:
        if isinstance(found, BaseException):
            raise found
        sources.append(found)
    return context_of(sources, [keyword.label for keyword in asked.keywords if keyword.url is None])


def _wanted(asked: AskStudy) -> Iterator[Wanted]:
    for number, attachment in enumerate(asked.attachments):
        yield Wanted(f"attachments.{number}", attachment.url or "", attachment.name, attachment.type)
    for field, references in (("links", asked.links), ("keywords", asked.keywords)):
        for number, reference in enumerate(references):
            if reference.url is not None:
                yield Wanted(f"{field}.{number}", reference.url, reference.label)


async def _admit(call: Call, wanted: Wanted) -> None:
    if is_hopeless(wanted.media_type.lower()):
        message = f"{wanted.media_type} is not of an accepted kind: {ACCEPTED}."
        raise _refused(wanted, SourceRefused("not_text", message))
    try:
        await call.services.admit_link(wanted.url)
    except SourceRefused as refusal:
        raise _refused(wanted, refusal) from None


async def _read(call: Call, wanted: Wanted) -> Source:
    try:
        document = await call.services.fetch(wanted.url)
    except SourceRefused as refusal:
        raise _refused(wanted, refusal) from None
    return Source(wanted.name or storable(document.title), document.source, storable(document.text))


def _refused(wanted: Wanted, refusal: SourceRefused) -> BadRequest | TooLarge:
    kind = TooLarge if refusal.code == "too_large" else BadRequest
    return kind(f"{wanted.place}: {refusal.message}", {"code": refusal.code, "field": wanted.place})
