"""Asks one persona: with what it knows and answered before, within its time, and with one retry."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.engines.engine import EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import search_text
from app.internal_api.engines.minds import persona_of
from app.internal_api.panels.dependencies import ClaimedQuestion
from app.internal_api.panels.outcomes import Outcome, answered, failed, timed_out
from app.internal_api.store.answers import Said, said_before
from app.internal_api.store.knowledge import sources_of
from app.internal_api.store.minds import find_mind
from app.internal_api.store.questions import Question

log = structlog.get_logger()

HISTORY = {"none": 0, "last5": 5, "followup_only": 1}  # how many earlier questions a persona is reminded of
PAUSE = 0.5  # seconds before the retry, where the engine does not say how long


async def respond(claimed: ClaimedQuestion, mind_id: str) -> Outcome:
    """Ask one persona; a failure is an outcome too. Raises SQLAlchemyError."""
    context = {"question": claimed.question.id, "mind": mind_id}
    try:
        async with asyncio.timeout(claimed.dependencies.settings.answer_seconds) as deadline:
            return await _ask(claimed, mind_id, deadline.when() or 0)
    except TimeoutError:
        log.warning("panel.persona_timed_out", **context)
        return timed_out(mind_id)
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("panel.persona_unavailable", **context, kind=error.kind, status=error.status)
        return failed(mind_id, error.kind)
    except SQLAlchemyError:
        raise
    except Exception:
        # The boundary of one persona: its fault must not cost the others their answers.
        log.exception("panel.persona_failed", **context)
        return failed(mind_id, "INTERNAL")


async def _ask(claimed: ClaimedQuestion, mind_id: str, deadline: float) -> Outcome:
    question, dependencies = claimed.question, claimed.dependencies
    history = HISTORY[question.history_mode]
    async with claimed.read() as connection:
        mind = await find_mind(connection, mind_id)
        if mind is None or not mind.ready:
            return failed(mind_id, "MIND_GONE")
        earlier = _turns(await said_before(connection, question, mind_id, history) if history else ())
    query = search_text([*earlier, Turn("user", question.text)])
    passages = await dependencies.search.search(mind_id, query, limit=dependencies.settings.passages_per_answer)
    persona = persona_of(mind)
    if question.source_policy is not None:
        persona = replace(persona, source_policy=question.source_policy)
    survey = partial(dependencies.persona_engine.survey, persona, _survey_question(question, earlier), passages)
    said = await _with_one_retry(survey, deadline)
    if not said.citations:
        return answered(mind_id, said, {})
    async with claimed.read() as connection:
        return answered(mind_id, said, await sources_of(connection, [passage.item_id for passage in said.citations]))


async def _with_one_retry(survey: Callable[[], Awaitable[SurveyAnswer]], deadline: float) -> SurveyAnswer:
    try:
        return await survey()
    except EngineUnavailable as error:
        pause = PAUSE if error.retry_after is None else error.retry_after
        if not error.retryable or asyncio.get_running_loop().time() + pause >= deadline:
            raise
        await asyncio.sleep(pause)
        return await survey()


def _survey_question(question: Question, earlier: Sequence[Turn]) -> SurveyQuestion:
    return SurveyQuestion(
        text=question.text,
        type=question.type,
        scale=question.scale,
        options=tuple(question.options),
        most=question.most,
        response_form=question.response_form,
        context=question.context,
        earlier=tuple(earlier),
    )


def _turns(said: Sequence[Said]) -> list[Turn]:
    """Earlier questions and answers as a conversation."""
    return [turn for each in said for turn in (Turn("user", each.question), Turn("assistant", _answer(each)))]


def _answer(said: Said) -> str:
    if said.type == "qualitative" or not said.value:
        return said.message or ""
    return f"{said.message or ''}\nMy answer: {said.value}".strip()
