"""One persona that is asked: what it knows and said before, its answer within its time, and a second try."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.panels.landing import Landed, answered, failed, timed_out
from app.internal_api.panels.panel import Panel
from app.internal_api.personas.minds import persona_of
from app.internal_api.personas.offline.questions import search_text
from app.internal_api.personas.words import EngineUnavailable, Persona, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.store.answers import Said, said_before
from app.internal_api.store.knowledge import sources_of
from app.internal_api.store.minds import Mind, find_mind
from app.internal_api.store.questions import Question

log = structlog.get_logger()

HISTORY = {"none": 0, "last5": 5, "followup_only": 1}  # how many earlier questions a persona is reminded of
PAUSE = 0.5  # seconds before the second try, where the engine does not say how long


async def respond(panel: Panel, mind_id: str) -> Landed:
    """Ask one persona; whatever becomes of it is a result. Raises SQLAlchemyError."""
    told = {"question": panel.question.id, "mind": mind_id}
    try:
        async with asyncio.timeout(panel.means.settings.answer_seconds) as deadline:
            return await _ask(panel, mind_id, deadline.when() or 0)
    except TimeoutError:
        log.warning("panel.persona_timed_out", **told)
        return timed_out(mind_id)
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("panel.persona_unavailable", **told, kind=error.kind, status=error.status)
        return failed(mind_id, error.kind)
    except SQLAlchemyError:
        raise
    except Exception:
        # The boundary of one persona: its fault must not cost the others their answers.
        log.exception("panel.persona_failed", **told)
        return failed(mind_id, "INTERNAL")


async def _ask(panel: Panel, mind_id: str, until: float) -> Landed:
    question, means = panel.question, panel.means
    async with panel.read() as connection:
        mind = await find_mind(connection, mind_id)
        if mind is None or not mind.ready:
            return failed(mind_id, "MIND_GONE")
        earlier = turns(await _said(connection, question, mind_id))
    about = search_text([*earlier, Turn("user", question.text)])
    passages = await means.search.search(mind_id, about, limit=means.settings.passages_per_answer)
    survey = partial(means.persona_engine.survey, _persona(mind, question), posed(question, earlier), passages)
    said = await _in_two_tries(survey, until)
    return answered(mind_id, said, await _sources(panel, said))


async def _said(connection: AsyncConnection, question: Question, mind_id: str) -> Sequence[Said]:
    reminded = HISTORY[question.history_mode]
    return await said_before(connection, question, mind_id, reminded) if reminded else ()


async def _sources(panel: Panel, said: SurveyAnswer) -> Mapping[str, str]:
    if not said.citations:
        return {}
    async with panel.read() as connection:
        return await sources_of(connection, [passage.item_id for passage in said.citations])


async def _in_two_tries(survey: Callable[[], Awaitable[SurveyAnswer]], until: float) -> SurveyAnswer:
    try:
        return await survey()
    except EngineUnavailable as error:
        pause = PAUSE if error.retry_after is None else error.retry_after
        if not error.retryable or asyncio.get_running_loop().time() + pause >= until:
            raise
        await asyncio.sleep(pause)
        return await survey()


def posed(question: Question, earlier: Sequence[Turn]) -> SurveyQuestion:
    """The question as the engine is asked it."""
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


def turns(said: Sequence[Said]) -> list[Turn]:
    """Earlier questions and answers as a conversation."""
    return [turn for each in said for turn in (Turn("user", each.question), Turn("assistant", _answer(each)))]


def _answer(said: Said) -> str:
    if said.type == "qualitative" or not said.value:
        return said.message or ""
    return f"{said.message or ''}\nMy answer: {said.value}".strip()


def _persona(mind: Mind, question: Question) -> Persona:
    persona = persona_of(mind)
    return persona if question.source_policy is None else replace(persona, source_policy=question.source_policy)
