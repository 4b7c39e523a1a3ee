"""Asks one persona: with what it knows and answered before, within its time, and with one retry."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.engines.engine import ABSTENTIONS, EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.snippets import snippet
from app.internal_api.knowledge.documents import Passage
from app.internal_api.panels.classifier import own_words
from app.internal_api.services import Services
from app.internal_api.store.knowledge import sources_of
from app.internal_api.store.minds import Mind
from app.internal_api.store.questions import Question, said_before
from app.internal_api.store.rows import find_row, storable

log = structlog.get_logger()

Row = Mapping[str, Any]

HISTORY = {"none": 0, "last5": 5, "followup_only": 1}  # how many earlier questions a persona is reminded of
LONGEST_CODE = 32  # characters of an error code or an origin, as the table has room for
LONGEST_ENGINE = 200  # characters of what wrote an answer; where a language model failed, of its host
PAUSE = 0.5  # seconds before the retry, where the engine does not say how long


async def respond(services: Services, question: Question, mind_id: str) -> Row:
    """Ask one persona; the values of its answer rows, also where it failed. Raises SQLAlchemyError."""
    context = {"question": question.id, "mind": mind_id}
    try:
        async with asyncio.timeout(services.settings.answer_seconds) as deadline:
            return await _ask(services, question, mind_id, deadline.when() or 0)
    except TimeoutError:
        log.warning("panel.persona_timed_out", **context)
        return {"status": "timeout", "error_code": "TIMEOUT"}
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("panel.persona_unavailable", **context, kind=error.kind, status=error.status)
        status = "declined" if error.kind in ABSTENTIONS else "failed"
        host = {} if error.host is None else {"engine": error.host[:LONGEST_ENGINE]}
        return {"status": status, "error_code": error.code[:LONGEST_CODE], **host}
    except SQLAlchemyError:
        raise
    except Exception:
        # The boundary of one persona: its fault must not cost the others their answers.
        log.exception("panel.persona_failed", **context)
        return {"status": "failed", "error_code": "INTERNAL"}


async def _ask(services: Services, question: Question, mind_id: str, deadline: float) -> Row:
    history = HISTORY[question.history_mode]
    async with services.read() as connection:
        mind = await find_row(connection, Mind, mind_id)
        if mind is None or not mind.ready:
            return {"status": "failed", "error_code": "MIND_GONE"}
        before = await said_before(connection, question, mind_id, history) if history else []
    earlier = turns_of(before)
    # Where what it follows up on is not among these, the question has to name it.
    is_told = question.follow_up_of is None or any(row.is_base == 0 for row in before)
    text = own_words(question.text) if earlier and is_told else question.text
    query = " ".join([read_question([*earlier, Turn("user", text)]).text, *question.options])
    passages = await services.reading.search(mind_id, query, limit=services.settings.passages_per_answer)
    if question.source_policy is not None:
        mind = replace(mind, source_policy=question.source_policy)
    same = {name: getattr(question, name) for name in ("type", "scale", "most", "response_form", "context")}
    wanted = SurveyQuestion(text, **same, options=tuple(question.options), earlier=tuple(earlier))
    survey = partial(services.persona_engine.survey, mind, wanted, passages)
    try:
        said = await survey()
    except EngineUnavailable as error:
        pause = PAUSE if error.retry_after is None else error.retry_after
        if not error.retryable or asyncio.get_running_loop().time() + pause >= deadline:
            raise
        await asyncio.sleep(pause)
        said = await survey()
    sources: Mapping[str, str] = {}
    if said.citations:
        async with services.read() as connection:
            sources = await sources_of(connection, [passage.item_id for passage in said.citations])
    return answered(said, sources, is_open=question.type == "qualitative")


def answered(said: SurveyAnswer, sources: Mapping[str, str], *, is_open: bool) -> Row:
    """The row of an answer; `sources` says, for each cited item, what is shown of it. A closed one needs a value."""
    message = storable(said.message)
    return {
        "status": "declined" if said.declined else "answered" if said.value or is_open else "uncoded",
        "value": storable(said.value),
        "raw_value": storable(said.raw_value),
        "message": message,
        "origin": said.origin[:LONGEST_CODE],
        "unsupported": False,
        "chunks_found": said.chunks_found,
        "citations": [
            citation_of(passage, sources.get(passage.item_id, passage.title), message) for passage in said.citations
        ],
        "engine": said.engine[:LONGEST_ENGINE],
        "codes": dict(said.meant) or None,
    }


def citation_of(passage: Passage, source: str | None, claim: str) -> dict[str, Any]:
    """The passage that was cited for `claim`, as it is stored with an answer; `source` is what is shown of its item."""
    return {
        "id": passage.chunk_id,
        "title": passage.title,
        "source": source,
        "link": passage.link,
        "page": passage.page,
        "snippet": snippet(passage.text, claim),
        "similarity": round(min(max(passage.similarity, 0.0), 1.0), 4),
    }


def turns_of(said: Iterable[Any]) -> list[Turn]:
    turns = []
    for each in said:
        value = f"\nMy answer: {each.value}" if each.value and each.type != "qualitative" else ""
        turns += [Turn("user", each.text), Turn("assistant", f"{each.message or ''}{value}".strip())]
    return turns
