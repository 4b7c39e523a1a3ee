"""A question as server-sent events: what is stored, and what lands meanwhile, until the result."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.http.call import HEARTBEAT, PADDING, Call, Services, event
from app.internal_api.panels.output import classification, persona_answer, study_output
from app.internal_api.store.questions import Answer, Question, answers_of, count_answers, finished_answers
from app.internal_api.store.rows import find_row

log = structlog.get_logger()

Event = dict[str, Any]
ENDED = frozenset({"completed", "failed"})
POLL_SECONDS = 1.0
"""Between looks for answers that another process stored, while somebody waits for them."""


class QuestionGone(Exception):
    """The study was deleted while its question was followed."""


async def question_events(call: Call, question: Question) -> AsyncIterator[bytes]:
    """Only reads: a client that goes away stops nothing but this, and one that comes back gets the same again."""
    yield PADDING
    try:
        async for progress in _progress(call.services, question):
            yield HEARTBEAT if progress is None else event(progress)
        yield await _result(call.services, question)
    except QuestionGone:
        yield event({"type": "error", "status": 404, "message": "The study was deleted"})
    except SQLAlchemyError as error:
        log.warning("question_events.database_unavailable", question=question.id, error=type(error).__name__)
        message = "The service cannot answer at the moment; ask again with the same clientRequestId"
        yield event({"type": "error", "status": 503, "message": message})
    yield event({"type": "done"})


async def _progress(services: Services, question: Question) -> AsyncIterator[Event | None]:
    """The events before the result; None for a silence that has lasted. Raises QuestionGone."""
    async with services.read() as connection:
        total = await count_answers(connection, question.id)
    request_id = question.client_request_id
    yield {"type": "start", "total": total, "questionBlockId": question.id, "clientRequestId": request_id}
    yield {"type": "classification", "classification": classification(question)}
    number = 0
    async for answer in _landing(services, question):
        number += answer is not None
        yield None if answer is None else _answer_event(answer, number, total)
    yield {"type": "aggregating"}


async def _result(services: Services, question: Question) -> bytes:
    """Raises QuestionGone."""
    async with services.read() as connection:
        ended = await find_row(connection, Question, question.id)
        answers = await answers_of(connection, question.id)
    if ended is None:
        raise QuestionGone
    # In a thread, since it holds all answers, and themes are sought in them.
    return await asyncio.to_thread(
        lambda: event({"type": "result", "outputData": study_output(ended, answers), "outputType": "bar"})
    )


async def _landing(services: Services, question: Question) -> AsyncIterator[Answer | None]:
    """Each answer once, as it lands; None for a silence that has lasted. Raises QuestionGone."""
    known: set[str] = set()
    silence, loop = services.settings.stream_heartbeat_seconds, asyncio.get_running_loop()
    sent_at = loop.time()
    with services.hub.subscribe(question.id) as changed:
        while True:
            changed.clear()
            async with services.read() as connection:
                # The question before its answers: once it has ended, none is missing.
                now = await find_row(connection, Question, question.id)
                landed = await finished_answers(connection, question.id, known)
            for answer in landed:
                known.add(answer.id)
                yield answer
            if now is None:
                raise QuestionGone
            if now.status in ENDED:
                return
            if landed:
                sent_at = loop.time()
            elif loop.time() - sent_at >= silence:
                sent_at = loop.time()
                yield None
            with suppress(TimeoutError):
                async with asyncio.timeout(min(services.settings.poll_seconds, POLL_SECONDS, silence)):
                    await changed.wait()


def _answer_event(answer: Answer, number: int, total: int) -> Event:
    """One persona's answer, and how many have landed, this one included."""
    said = persona_answer(answer)
    return {
        "type": "answer",
        "mindId": answer.mind_id,
        "mindName": answer.mind_name,
        "discipline": answer.discipline,
        "profileImageUrl": answer.profile_image_url,
        "audienceId": answer.audience_id,
        "audienceName": answer.audience_name,
        "answer": said,
        "status": said.status,
        "answered": number,
        "total": total,
    }
