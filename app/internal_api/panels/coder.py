"""Codes the answers to an open question: those of its last asking, and what was left of earlier ones."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from app.internal_api.engines.chat.codebook import METHOD
from app.internal_api.engines.coding import RESERVED, Code, Coded, Coding
from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.panels.codebook import answered, codes_in, codings_of, said_in, stands
from app.internal_api.panels.revision import Quotes
from app.internal_api.services import Services
from app.internal_api.store.questions import Answer, Question, answers_of, are_alike, list_questions

log = structlog.get_logger()

PAUSE, LONGEST_PAUSE = 0.5, 30  # seconds before the retry
FEWEST_ANSWERS = 2  # one answer has nothing in common with others
UNCODED = Coding({})


async def code_answers(services: Services, question: Question) -> list[tuple[Question, Coded]]:
    """Codes of all answers that are in, and of what now can be coded of earlier askings; none where they are too few.

    A model codes in every asking what was coded without one, and says who spoke before of what is a new code, so that
    all are told by the same codes. Raises SQLAlchemyError.
    """
    rows, earlier = await _answers(services, question)
    asked, by_model = answered(rows), type(services.persona_engine).code is not ExtractiveEngine.code
    books = [one.codebook for one, given in earlier if one.codebook and (not by_model or _stay(one.codebook, given))]
    known = [*{code.id: code for book in reversed(books) for code in codes_in(book)}.values()]
    if len(asked) < FEWEST_ANSWERS and not known:
        return []
    before = [one for _, given in earlier for one in given if one.codes is not None]
    settled = [one for one in before if not by_model or one.stance is not None or one.coded is not None]
    same, left = _coded_before(rows, settled), _left(earlier, settled) if by_model else []
    new = {mind: text for mind, text in asked.items() if mind not in same}
    heard = {*asked.values(), *map(said_in, settled)}
    older = {text: text for _, given in left for text in map(said_in, given) if text not in heard}
    examples = {code.id: [codes[code.id] for one in before if code.id in (codes := one.codes or {})] for code in known}
    coded = await _code(services, question, new, older, known, examples) if new or older else Coded()
    if coded is not None and coded.method == METHOD:
        spoken = await _spoken_of(services, question, coded, known, settled)
        if spoken.method:
            meant = {(asked | older)[one]: coding for one, coding in coded.codings.items()}
            own = {mind: coding for mind, coding in coded.codings.items() if mind in new}
            own |= {mind: _adding(coding, spoken.codings.get(asked[mind])) for mind, coding in same.items()}
            recoded = _recoded(left, settled, coded, meant, spoken.codings)
            return [(question, replace(coded, codings=own)), *recoded]
        coded = spoken  # without it, what only a later asking has a code for would seem to be said there only
    if coded is not None and not coded.method and (same or not new):
        # Nothing codes what is new: who says the same as before is coded as before.
        coded = replace(coded, codes=tuple(known), method=books[0]["method"])
    return [] if coded is None else [(question, replace(coded, codings={**same, **coded.codings}))]


async def _answers(services: Services, question: Question) -> tuple[list[Answer], list[tuple[Question, list[Answer]]]]:
    """The answers to the question, and its earlier askings in the study with theirs, latest first."""
    async with services.read() as connection:
        listed = [one for one in await list_questions(connection, question.study_id) if are_alike(one, question)]
        ended = [one for one in reversed(listed) if one.status == "completed" and one.id != question.id]
        earlier = [(one, await answers_of(connection, one.id)) for one in ended]
        return await answers_of(connection, question.id), earlier


def _stay(book: Mapping[str, Any], given: Sequence[Answer]) -> bool:
    """Whether codes stay when a model codes: one made them, or a person has revised or given them."""
    return stands(book) or any(one.coded for one in given)


def _left(
    earlier: Sequence[tuple[Question, Sequence[Answer]]], settled: Sequence[Answer]
) -> list[tuple[Question, list[Answer]]]:
    """The answers that a model may code; none of an asking whose themes a person has named answer by answer."""
    known = {one.id for one in settled}
    return [
        (asking, [one for one in given if one.id not in known and one.coded is None and said_in(one)])
        for asking, given in earlier
        if asking.codebook or not any(one.coded for one in given)
    ]


def _recoded(
    left: Sequence[tuple[Question, Sequence[Answer]]],
    settled: Sequence[Answer],
    coded: Coded,
    meant: Mapping[str, Coding],
    spoken: Mapping[str, Coding],
) -> Iterator[tuple[Question, Coded]]:
    """Earlier askings with the codings that change: of what was `left` of them, and of what spoke of a new code."""
    for asking, given in left:
        found = {mind: meant.get(text, UNCODED) for mind, text in answered(given).items()}
        found |= _coded_before(given, settled)
        held = [one for one in settled if one.question_id == asking.id and said_in(one) in spoken]
        texts = answered(held)
        found |= {mind: _adding(one, spoken[texts[mind]]) for mind, one in codings_of(held).items()}
        if found:
            failure = None if all(each.codes for each in found.values()) else coded.failure
            yield asking, Coded(coded.codes, found, METHOD, failure)


def _coded_before(asked: Sequence[Answer], before: Sequence[Answer]) -> dict[str, Coding]:
    """The codings of those who say what they said `before`, word for word, or else what others did.

    `before` has the latest first. What is coded by hand is that of one persona, and stays so.
    """
    own, alike = dict[tuple[str, str], Coding](), dict[str, Coding]()
    for answer in before:
        for coding in codings_of([answer]).values():
            own.setdefault((answer.mind_id, said_in(answer)), coding)
            if coding.coded is None:
                alike.setdefault(said_in(answer), coding)
    found = {}
    for answer in asked:
        known = own.get((answer.mind_id, said_in(answer))) or alike.get(said_in(answer))
        if known is not None and said_in(answer):
            now = {name: getattr(answer, name) for name in ("status", "value", "answered_at")}
            coded = known.coded and {**known.coded, "before": {**known.coded["before"], **now}}
            found[answer.mind_id] = replace(known, coded=coded)
    return found


async def _spoken_of(
    services: Services, question: Question, coded: Coded, known: Sequence[Code], settled: Sequence[Answer]
) -> Coded:
    """The new codes that answers coded before speak of, by their words; without a method where nobody can say."""
    new = {code.id for code in coded.codes} - {code.id for code in known}
    texts = {text: text for text in map(said_in, settled) if text}
    if not new or not texts:
        return Coded(method=METHOD)
    again = await _by_engine(services, question, texts, coded.codes, {}) or Coded()
    told = {text: new & coding.codes.keys() for text, coding in again.codings.items()}
    found = {text: Coding({one: again.codings[text].codes[one] for one in each}) for text, each in told.items() if each}
    return replace(again, codings=found)


def _adding(coding: Coding, more: Coding | None) -> Coding:
    """With further codes, which an answer that fitted none has instead; what a person coded stays as it is."""
    if more is None or coding.coded is not None:
        return coding
    themes = {one: quote for one, quote in coding.codes.items() if one not in RESERVED}
    return replace(coding, codes={**themes, **more.codes})


async def _code(
    services: Services,
    question: Question,
    new: Mapping[str, str],
    older: Mapping[str, str],
    known: Sequence[Code],
    examples: Quotes,
) -> Coded | None:
    """Codes of new answers, and of older ones where a model codes; None where the coding itself fails."""
    coded = await _by_engine(services, question, {**new, **older}, known, examples)
    if coded is None or coded.method:
        return coded
    # What a model did not do is done without one, where that finds anything.
    makeshift = await ExtractiveEngine().code(question.text, new, known, examples)
    return replace(makeshift if makeshift and makeshift.codes else Coded(), failure=coded.failure)


async def _by_engine(
    services: Services, question: Question, texts: Mapping[str, str], known: Sequence[Code], examples: Quotes
) -> Coded | None:
    """What the engine makes of it, none with a failure where it is away; None where the coding itself fails."""
    for last in (False, True):
        try:
            coded = await services.persona_engine.code(question.text, texts, known, examples)
            return coded if coded and coded.codings else Coded()
        except EngineUnavailable as error:
            log.warning("panel.not_coded", question=question.id, kind=error.kind, status=error.status)
            if last or not error.retryable:
                return Coded(failure=error.told)
            await asyncio.sleep(min(error.retry_after or PAUSE, LONGEST_PAUSE))
        except Exception:
            # The boundary of the coding: its fault must not keep the answers from being shown.
            log.exception("panel.coding_failed", question=question.id)
            break
    return None
