"""The codebook of an open question: made after its last answer, kept for its next asking, revised by a researcher."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast
from uuid import uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.engines.coding import RESERVED, Code, Coded, Coding, Stance
from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.errors import BadRequest
from app.internal_api.knowledge.terms import fold
from app.internal_api.models.studies import ReviseCodebook
from app.internal_api.panels.values import SEPARATOR, key
from app.internal_api.services import Services
from app.internal_api.store.questions import Answer, Question, answers_of, coded_alike, write_codings
from app.internal_api.store.rows import storable, update_row

log = structlog.get_logger()

PAUSE, LONGEST_PAUSE = 0.5, 30  # seconds before the retry
Change = Mapping[str, str]
"""When something was revised and by whom, as it is stored."""
Quotes = Mapping[str, Sequence[str]]
"""By the id of a code, the parts of one answer that show it."""
FEWEST_ANSWERS = 2  # one answer has nothing in common with others


def codes_in(codebook: Mapping[str, Any] | None) -> list[Code]:
    """Those that are stored with a question."""
    stored = (codebook or {}).get("codes", ())
    return [Code(**{**each, "original_labels": tuple(each["original_labels"])}) for each in stored]


def labels_in(codebook: Mapping[str, Any] | None) -> dict[str, str]:
    """The labels by the ids, those of every codebook among them; nothing of a question without one."""
    return {**{code.id: code.label for code in codes_in(codebook)}, **RESERVED} if codebook else {}


def codes_named(codebook: Mapping[str, Any] | None, value: str) -> dict[str, str] | None:
    """Ids of the codes whose labels `value` names, parted by `;`, without quotes; None of an answer without a codebook.

    Raises BadRequest: one of them is no code.
    """
    if codebook is None:
        return None
    ids = {key(label): one for one, label in labels_in(codebook).items()}
    named = [key(part) for part in value.split(SEPARATOR) if part.strip()]
    if not named or not all(name in ids for name in named):
        known = "; ".join(labels_in(codebook).values())
        raise BadRequest(f"value takes codes of this question: {known}", {"code": "INVALID_VALUE", "field": "value"})
    return dict.fromkeys((ids[name] for name in named), "")


def stored(
    codes: Sequence[Code], method: str, changes: Sequence[Any], quotes: Mapping[str, Quotes] | None = None
) -> dict[str, Any]:
    """A codebook as it is stored with a question; `quotes` are those beyond the first of each code, by mind."""
    plain = [replace(code, label=storable(code.label), definition=storable(code.definition)) for code in codes]
    return {"codes": [asdict(code) for code in plain], "method": method, "changes": [*changes], "quotes": quotes or {}}


async def code_answers(services: Services, question: Question) -> Coded | None:
    """Codes of all answers that are in; None where there are too few, or where nothing can code them just now.

    Raises SQLAlchemyError.
    """
    async with services.read() as connection:
        texts = answered(await answers_of(connection, question.id))
        earlier = await coded_alike(connection, question)
        known = codes_in(earlier[0].codebook) if earlier else []
        before = await answers_of(connection, earlier[0].id) if earlier else []
    if len(texts) < FEWEST_ANSWERS and not known:
        return None
    quoted = [answer.codes for answer in before if answer.codes]
    examples = {code.id: [codes[code.id] for codes in quoted if code.id in codes] for code in known}
    same = _coded_before(texts, before)
    if not (new := {mind: text for mind, text in texts.items() if mind not in same}):
        return Coded(tuple(known), same, (earlier[0].codebook or {})["method"])
    coded = await _code(services, question, new, known, examples)
    return coded and replace(coded, codings={**same, **coded.codings})


def _coded_before(texts: Mapping[str, str], before: Sequence[Answer]) -> dict[str, Coding]:
    """The codings of those who say what somebody said `before`, word for word."""
    codings = codings_of(before)
    known = {text: codings[mind] for mind, text in answered(before).items() if mind in codings}
    return {mind: known[text] for mind, text in texts.items() if text in known}


async def _code(
    services: Services, question: Question, texts: Mapping[str, str], known: Sequence[Code], examples: Quotes
) -> Coded | None:
    for last in (False, True):
        try:
            coded = await services.persona_engine.code(question.text, texts, known, examples)
        except EngineUnavailable as error:
            log.warning("panel.not_coded", question=question.id, kind=error.kind, status=error.status)
            if last or not error.retryable:
                break
            await asyncio.sleep(min(error.retry_after or PAUSE, LONGEST_PAUSE))
        except Exception:
            # The boundary of the coding: its fault must not keep the answers from being shown.
            log.exception("panel.coding_failed", question=question.id)
            return None
        else:
            if coded and coded.codings:
                return coded
            break
    # What a model did not do is done without one, where that finds anything.
    coded = await ExtractiveEngine().code(question.text, texts, known, examples)
    return coded if coded and coded.codes else None


async def store_coded(connection: AsyncConnection, question: Question, coded: Coded) -> None:
    """In the transaction that completes the question. What was changed in earlier codes stays told."""
    earlier = await coded_alike(connection, question)
    changes = (earlier[0].codebook or {}).get("changes", ()) if earlier else ()
    await update_row(connection, Question, question.id, codebook=stored(coded.codes, coded.method, changes))
    await write_codings(connection, question.id, coded.codings)


async def store_revision(
    connection: AsyncConnection, question: Question, asked: ReviseCodebook, change: Change
) -> None:
    """Revise the codes of a question, and of its other askings in the study. Raises BadRequest.

    They share their codes, and the latest asking has all of them; a split moves answers of this one, and by its words
    those of the others.
    """
    alike = await coded_alike(connection, question, lock=True)
    if not any(one.id == question.id for one in alike):
        raise _refusal("The answers to this question are not coded.")
    answers = {one.id: await answers_of(connection, one.id) for one in alike}
    codings = {asking: codings_of(given) for asking, given in answers.items()}
    revision = revise(codes_in(alike[0].codebook), codings[question.id], asked)
    for one in alike:
        book = one.codebook or {}
        changes = [*book["changes"], {**change, "what": revision.what}]
        moved = revision.moved if one.id == question.id else speaking(answers[one.id], asked.words)
        said = {mind: quotes_of(each, book.get("quotes", {}).get(mind, {})) for mind, each in codings[one.id].items()}
        into = {mind: {**revision.into, **(revision.parted if mind in moved else {})} for mind in said}
        texts = answered(answers[one.id])
        now = {mind: recoded(each, into[mind], asked.words, texts.get(mind, "")) for mind, each in said.items()}
        more = {mind: {code: quotes[1:] for code, quotes in each.items() if quotes[1:]} for mind, each in now.items()}
        kept = {mind: each for mind, each in more.items() if each}
        await update_row(connection, Question, one.id, codebook=stored(revision.codes, book["method"], changes, kept))
        first = {mind: {code: next(iter(quotes), "") for code, quotes in each.items()} for mind, each in now.items()}
        new = {mind: replace(each, codes=first[mind]) for mind, each in codings[one.id].items()}
        await write_codings(connection, one.id, new)


def quotes_of(coding: Coding, more: Quotes) -> Quotes:
    """What shows each code of an answer: its quote, and `more` of the codes that were merged into it."""
    return {code: [quote, *more.get(code, ())] for code, quote in coding.codes.items()}


def recoded(said: Quotes, into: Mapping[str, str], words: Sequence[str] = (), text: str = "") -> dict[str, list[str]]:
    """An answer's codes after some became others: where `words` part them, what holds none of these stays itself.

    What was quoted of it may be but a part of the sentence that holds them.
    """
    folded, found = [fold(word) for word in words], dict[str, list[str]]()
    for code, quotes in said.items():
        stays = [quote for quote in quotes if quote and folded and not any(word in fold(quote) for word in folded)]
        if len(stays) == len(quotes):
            spoken = [one for one in split_sentences(text) if any(word in fold(one) for word in folded)]
            stays = [quote for quote in stays if not any(quote in one for one in spoken)]
        new = into.get(code, code)
        if stays:
            found.setdefault(code, []).extend(stays)
        found.setdefault(new, []).extend(quote for quote in quotes if quote not in stays)
    return found


def speaking(answers: Sequence[Answer], words: Sequence[str]) -> set[str]:
    """The minds whose answers hold one of the words."""
    return {mind for mind, text in answered(answers).items() if any(fold(word) in fold(text) for word in words)}


def codings_of(answers: Sequence[Answer]) -> dict[str, Coding]:
    """By mind, of the answers that are coded."""
    return {one.mind_id: Coding(one.codes, cast("Stance", one.stance)) for one in answers if one.codes is not None}


def answered(answers: Sequence[Answer]) -> dict[str, str]:
    """What each mind answered, once, also where it is in two groups."""
    given = {answer.mind_id: answer.message or answer.value or "" for answer in answers if answer.status == "answered"}
    return {mind: text for mind, text in given.items() if text.strip()}


@dataclass(frozen=True, slots=True)
class Revision:
    """A checked revision of a codebook: `into` says which codes become another, `parted` the same of minds `moved`."""

    codes: tuple[Code, ...]
    what: str
    into: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[str, str] = field(default_factory=dict)
    moved: Collection[str] = ()


def revise(codes: Sequence[Code], codings: Mapping[str, Coding], asked: ReviseCodebook) -> Revision:
    """What is asked for, if it can be done. Raises BadRequest."""
    by_id = {code.id: code for code in codes}
    themes = list(dict.fromkeys(asked.themes))
    named = [by_id[one] for one in themes if one in by_id]
    splits_reserved = asked.action == "split" and len(themes) == 1 and themes[0] in RESERVED
    if len(named) != len(themes) and not splits_reserved:
        raise _refusal("A theme is not in the codebook of this question.")
    if (len(themes) > 1) != (asked.action == "merge"):
        raise _refusal("Merging takes two or more themes; renaming and splitting take one.")
    taken = {code.label.casefold() for code in codes if code not in named or asked.action == "split"}
    taken |= {label.casefold() for label in RESERVED.values()}
    label = (asked.label or (named[0].label if named else "")).replace(SEPARATOR, ",")
    if not asked.label and asked.action != "merge":
        raise _refusal("A label is needed.")
    if label.casefold() in taken:
        raise _refusal("Another theme has this label; merge the two instead.")
    if asked.action == "split":
        return _split(codes, codings, asked, label)
    first, *others = named
    were = dict.fromkeys(one for code in named for one in (*code.original_labels, code.label) if one != label)
    kept = replace(first, label=label, definition=asked.definition or first.definition, original_labels=tuple(were))
    gone = {code.id: first.id for code in others}
    left = tuple(kept if code is first else code for code in codes if code.id not in gone)
    did = "Merged" if others else "Renamed"
    return Revision(left, f"{did} {', '.join(f'“{code.label}”' for code in named)} into “{label}”", into=gone)


def _split(codes: Sequence[Code], codings: Mapping[str, Coding], asked: ReviseCodebook, label: str) -> Revision:
    source = asked.themes[0]
    holders = {mind for mind, coding in codings.items() if source in coding.codes}
    moved = holders.intersection(asked.mind_ids)
    if not moved or moved == holders:
        raise _refusal("A split moves some answers of the theme to the new one, and leaves some.")
    spoken = ", ".join(f"“{word}”" for word in asked.words)
    new = Code(uuid4().hex[:8], label, asked.definition or (f"Speaks of {spoken}" if spoken else ""))
    was = next((code.label for code in codes if code.id == source), RESERVED.get(source, ""))
    who = f"answers with {spoken}" if spoken else f"{len(moved)} of its {len(holders)} answers"
    return Revision((*codes, new), f"Split “{was}”: {who} are “{label}” now", parted={source: new.id}, moved=moved)


def _refusal(message: str) -> BadRequest:
    return BadRequest(message, {"code": "INVALID_REVISION"})
