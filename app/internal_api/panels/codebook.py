"""The codebook of an open question: made after its last answer, kept for its next asking, revised by a researcher."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.engines.chat.codebook import METHOD
from app.internal_api.engines.coding import NO_VIEW, RESERVED, Code, Coded, Coding, Stance, renamed
from app.internal_api.errors import BadRequest
from app.internal_api.knowledge.terms import fold
from app.internal_api.models.studies import ReviseCodebook
from app.internal_api.models.wire import iso
from app.internal_api.panels.revision import Quotes, coded_by_hand, quotes_of, recoded, refusal, revise
from app.internal_api.panels.values import SEPARATOR, key
from app.internal_api.store.questions import CODED, Answer, Question, answers_of, coded_alike, write_codings
from app.internal_api.store.rows import storable, update_row

log = structlog.get_logger()

Change = Mapping[str, Any]  # when something was revised and by whom


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


async def store_coded(connection: AsyncConnection, question: Question, coded: Coded) -> None:
    """In the transaction that completes the question. Codes of another asking that was coded meanwhile are the same."""
    alike = [cast("Mapping[str, Any]", one.codebook) for one in await coded_alike(connection, question)]
    book = next((one for one in alike if coded.method != METHOD or stands(one)), {"changes": ()})
    known = {code.id: code for code in codes_in(book)}
    by_label = {code.label.casefold(): code.id for code in known.values()}
    ids = {one.id: by_label.get(one.label.casefold(), one.id) for one in coded.codes}
    codes = {**{one.id: one for one in coded.codes if ids[one.id] == one.id}, **known}
    quotes = (question.codebook or {}).get("quotes")
    codebook = stored([*codes.values()], coded.method, book["changes"], quotes) if coded.method else None
    await update_row(connection, Question, question.id, codebook=codebook, coding_failure=coded.failure)
    await write_codings(connection, question.id, {mind: renamed(each, ids) for mind, each in coded.codings.items()})


def stands(codebook: Mapping[str, Any]) -> bool:
    """Whether its codes stay when a language model codes: it made them, or a person has revised them."""
    return codebook["method"] == METHOD or bool(codebook["changes"])


async def store_revision(
    connection: AsyncConnection, question: Question, asked: ReviseCodebook, change: Change
) -> None:
    """Revise the codes of a question, and of its other askings in the study. Raises BadRequest.

    They share their codes, and the latest asking has all of them; a split moves answers of this one, and of the others
    what has its words or is what the same mind said here.
    """
    alike = await coded_alike(connection, question, lock=True)
    if not any(one.id == question.id for one in alike):
        raise refusal("The answers to this question are not coded.")
    answers = {one.id: await answers_of(connection, one.id) for one in alike}
    codings = {asking: codings_of(given) for asking, given in answers.items()}
    here = answered(answers[question.id])
    revision = revise(codes_in(alike[0].codebook), codings[question.id], asked)
    for one in alike:
        book = one.codebook or {}
        changes = [*book["changes"], {**change, "at": iso(change["at"]), "what": revision.what}]
        texts = answered(answers[one.id])
        meant = speaking(texts, asked.words).union(mind for mind in asked.mind_ids if texts.get(mind) == here.get(mind))
        moved = revision.moved if one.id == question.id else meant
        said = {mind: quotes_of(each, book.get("quotes", {}).get(mind, {})) for mind, each in codings[one.id].items()}
        into = {mind: {**revision.into, **(revision.parted if mind in moved else {})} for mind in said}
        now = {mind: recoded(each, into[mind], asked.words, texts.get(mind, "")) for mind, each in said.items()}
        more = {mind: {code: quotes[1:] for code, quotes in each.items() if quotes[1:]} for mind, each in now.items()}
        kept = {mind: each for mind, each in more.items() if each}
        await update_row(connection, Question, one.id, codebook=stored(revision.codes, book["method"], changes, kept))
        first = {mind: {code: next(iter(quotes), "") for code, quotes in each.items()} for mind, each in now.items()}
        new = {mind: replace(each, codes=first[mind]) for mind, each in codings[one.id].items()}
        for mind, each in new.items():
            parted = {**revision.into, **(revision.parted if mind in meant else {})}
            new[mind] = replace(each, coded=coded_by_hand(each.coded, parted, asked.words, texts.get(mind, "")))
        for answer in answers[one.id]:
            if answer.coded is None and NO_VIEW in (answer.codes or {}) and NO_VIEW in into[answer.mind_id]:
                # Its words may refuse to answer: it counts because a person says so.
                before = {name: getattr(answer, name) for name in CODED}
                new[answer.mind_id] = replace(new[answer.mind_id], coded={**change, "before": before})
        await write_codings(connection, one.id, new)


def speaking(texts: Mapping[str, str], words: Sequence[str]) -> set[str]:
    """The minds whose answers hold one of the words."""
    return {mind for mind, text in texts.items() if any(fold(word) in fold(text) for word in words)}


def codings_of(answers: Sequence[Answer]) -> dict[str, Coding]:
    """By mind, of the answers that are coded."""
    coded = [one for one in answers if one.codes is not None]
    return {one.mind_id: Coding(one.codes or {}, cast("Stance", one.stance), one.coded) for one in coded}


def answered(answers: Sequence[Answer]) -> dict[str, str]:
    """What each mind answered, once, also where it is in two groups."""
    return {answer.mind_id: text for answer in answers if (text := said_in(answer))}


def said_in(answer: Answer) -> str:
    """The words that are coded."""
    text = (answer.message or answer.value or "") if answer.status == "answered" else ""
    return text if text.strip() else ""
