"""What a question of a study comes to: server-sent events until its result, and its answers."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import structlog
from pydantic.alias_generators import to_camel
from sqlalchemy import or_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from app.internal_api.errors import BadRequest, Conflict, NotFound
from app.internal_api.http.access import account, reachable
from app.internal_api.http.call import HEARTBEAT, PADDING, Call, event, json_response
from app.internal_api.http.operation import FLOWS_READ, FLOWS_WRITE, operation
from app.internal_api.models.asking import AnswersQuery, CodeAnswer
from app.internal_api.models.outputs import MessageAnswers, PersonaAnswer
from app.internal_api.models.studies import ReviseCodebook
from app.internal_api.panels.codebook import codes_named, labels_in, store_revision
from app.internal_api.panels.output import classification, persona_answer, study_output, with_answers
from app.internal_api.panels.values import counted
from app.internal_api.services import Services
from app.internal_api.store import questions as store
from app.internal_api.store.questions import CODED, MEMBER, Answer, Question, answers_of
from app.internal_api.store.rows import find_row, find_where, update_row
from app.internal_api.store.studies import Study

log = structlog.get_logger()

ENDED = frozenset({"completed", "failed"})
GONE = "The study was deleted"
POLL_SECONDS = 1.0
"""Between looks for answers that another process stored, while somebody waits for them."""


async def question_events(call: Call, question: Question) -> AsyncIterator[bytes]:
    """Only reads: a client that goes away stops nothing but this, and one that comes back gets the same again."""
    services, request_id, number = call.services, question.client_request_id, 0
    yield PADDING
    try:
        async with services.read() as connection:
            total = await store.count_answers(connection, question.id)
        yield event({"type": "start", "total": total, "questionBlockId": question.id, "clientRequestId": request_id})
        yield event({"type": "classification", "classification": classification(question)})
        async for answer in _arriving(services, question):
            if answer is None:
                yield HEARTBEAT
                continue
            said, member = persona_answer(answer), {to_camel(name): getattr(answer, name) for name in MEMBER}
            number += 1
            so_far = {"answered": number, "total": total}
            yield event({"type": "answer", **member, "answer": said, "status": said.status, **so_far})
        yield event({"type": "aggregating"})
        async with services.read() as connection:
            ended = await find_row(connection, Question, question.id)
            answers = await answers_of(connection, question.id)
        if ended is None:
            raise NotFound(GONE)  # noqa: TRY301 - told like the end of a study that is deleted while it is answered
        # In a thread, since it holds all answers, and themes are sought in them.
        result = await asyncio.to_thread(study_output, ended, answers)
        yield await asyncio.to_thread(event, {"type": "result", "outputData": result, "outputType": "bar"})
    except NotFound as gone:
        yield event({"type": "error", "status": gone.status, "message": gone.message})
    except SQLAlchemyError as error:
        log.warning("question_events.database_unavailable", question=question.id, error=type(error).__name__)
        message = "The service cannot answer at the moment; ask again with the same clientRequestId"
        yield event({"type": "error", "status": 503, "message": message})
    yield event({"type": "done"})


async def _arriving(services: Services, question: Question) -> AsyncIterator[Answer | None]:
    """Each answer once, as it arrives; None for a silence that has lasted. Raises NotFound."""
    known: set[str] = set()
    silence, loop = services.settings.stream_heartbeat_seconds, asyncio.get_running_loop()
    sent_at = loop.time()
    with services.hub.subscribe(question.id) as changed:
        while True:
            changed.clear()
            async with services.read() as connection:
                # The question before its answers: once it has ended, none is missing.
                now = await find_row(connection, Question, question.id)
                arrived = await store.finished_answers(connection, question.id, known)
            for answer in arrived:
                known.add(answer.id)
                yield answer
            if now is None:
                raise NotFound(GONE)
            if now.status in ENDED:
                return
            if arrived:
                sent_at = loop.time()
            elif loop.time() - sent_at >= silence:
                sent_at = loop.time()
                yield None
            with suppress(TimeoutError):
                async with asyncio.timeout(min(services.settings.poll_seconds, POLL_SECONDS, silence)):
                    await changed.wait()


MESSAGE = "/studies/{studyId}/messages/{messageId}"
PREVIEWED = 3
CODABLE = frozenset({"answered", "declined", "uncoded"})
"""Answers that a person may code."""


@operation("GET", f"{MESSAGE}/answers", FLOWS_READ, MessageAnswers, query=AnswersQuery)
async def get_message_answers(call: Call) -> Response:
    """Every persona's answer to one question.

    What there is, also while the question is still being answered; either message of a question will do.
    """
    scope = call.queried(AnswersQuery).scope
    async with call.services.read() as connection:
        question = await _named(call, connection)
        found = await answers_of(connection, question.id)
    return await _answered(question, found, PREVIEWED if scope == "preview" else None)


@operation("POST", f"{MESSAGE}/codebook", FLOWS_WRITE, MessageAnswers, body=ReviseCodebook, refusals=(409,))
async def revise_codebook(call: Call) -> Response:
    """Merge, rename or split the codes of an open question; an addition of this API."""
    asked = await call.asked(ReviseCodebook)
    change = {"at": call.services.clock(), "by": account(call.principal)}
    async with call.services.engine.begin() as connection:
        question = await _named(call, connection, changes=True)
        alike = [
            one for one in await store.list_questions(connection, question.study_id) if store.are_alike(one, question)
        ]
        if any(one.status not in ENDED for one in alike):
            raise Conflict("The question is still being answered, or asked again", {"code": "STILL_ANSWERING"})
        await store_revision(connection, question, asked, change)
        question = await _named(call, connection)
        found = await answers_of(connection, question.id)
    return await _answered(question, found)


async def _named(call: Call, connection: AsyncConnection, *, changes: bool = False) -> Question:
    """The question of the path, by the id of either of its messages or its own. Raises NotFound."""
    message_id, study, columns = call.id("messageId"), await reachable(call, connection, Study), store.questions.c
    if changes:  # the study first, as whoever completes a question: one after the other, and no deadlock
        await update_row(connection, Study, study.id, updated_at=call.services.clock())
    ids = (columns.id, columns.question_message_id, columns.answer_message_id)
    named = or_(*(column == message_id for column in ids))
    question = await find_where(connection, Question, columns.study_id == study.id, named)
    if question is None:
        raise NotFound("Message not found")
    return question


async def _answered(question: Question, found: Sequence[Answer], most: int | None = None) -> Response:
    def answered() -> Response:
        output = study_output(question, found)
        shown = output if most is None else with_answers(output, most)
        return json_response(MessageAnswers(message_id=question.answer_message_id, output_data=shown))

    return await asyncio.to_thread(answered)  # it holds all answers


@operation("PUT", f"{MESSAGE}/codes", FLOWS_WRITE, PersonaAnswer, body=CodeAnswer, refusals=(409,))
async def code_answer(call: Call) -> Response:
    """Give one persona's answer its value by hand, or take that back.

    What the persona wrote stays as it is; who did it and when is told with the answer.
    """
    asked, now = await call.asked(CodeAnswer), call.services.clock()
    async with call.services.engine.begin() as connection:
        question = await _named(call, connection, changes=True)
        rows = [answer for answer in await answers_of(connection, question.id) if answer.mind_id == asked.mind_id]
        if not rows:
            raise NotFound("Mind not found")
        if rows[0].status not in CODABLE or not (rows[0].message or rows[0].raw_value):
            raise Conflict("There is no answer that could be coded", {"code": "NOTHING_TO_CODE"})
        before = (rows[0].coded or {}).get("before") or {name: getattr(rows[0], name) for name in CODED}
        written: dict[str, Any] = {**before, "coded": None}
        if asked.value is not None:
            coded = {"by": call.principal.user_id, "at": now, "before": before}
            codes = codes_named(question.codebook, asked.value)
            written = {"status": "answered", "value": asked.value, "answered_at": now, "codes": codes, "coded": coded}
        changed = [replace(row, **written) for row in rows]
        if asked.value is not None and counted(question, changed[0]) is None:
            raise BadRequest("value is no answer to this kind of question", {"code": "INVALID_VALUE", "field": "value"})
        await store.code_answers(connection, rows, written)
    return json_response(persona_answer(changed[0], labels_in(question.codebook)))
