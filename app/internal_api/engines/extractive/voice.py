"""How an answer is put: the same persona and question always get the same words."""

import hashlib
import re
from collections.abc import Sequence

from app.internal_api.engines.engine import Persona
from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.intents import Intent
from app.internal_api.engines.extractive.questions import Question
from app.internal_api.engines.extractive.selection import Cover, Selection
from app.internal_api.engines.extractive.terms import fold
from app.internal_api.engines.extractive.units import Kind, Unit
from app.internal_api.engines.extractive.wordings import wording_for
from app.internal_api.engines.extractive.wordings.wording import Wording
from app.internal_api.knowledge.documents import Passage

_DOUBLED = re.compile(r"\[{2,}")  # a name must not look like a citation
_LONGEST_NAME = 100
_LONGEST_DESCRIPTION = 300
_UNSAID = "Created via API"  # the API's own default says nothing about the persona
_CALLED = {Ask.OPINION, Ask.RATING}


def quote(question: Question, persona: Persona, chosen: Selection, cited: dict[int, int]) -> str:
    """The chosen units, each with its citation, behind a lead-in that states nothing.

    `cited` maps the number of a passage to the number of its citation.
    """
    wording = wording_for(question.answer_in)
    parts = [_pick(_leads(question, persona, chosen, wording), persona, question)]
    groups = _groups(chosen.units)
    for number, group in enumerate(groups):
        if number:
            parts.append(wording.further[(number - 1) % len(wording.further)])
        parts.append(_lines(group, cited))
    return _paragraphs(parts)


def nothing(question: Question, persona: Persona, topics: Sequence[str]) -> str:
    """That the knowledge does not cover the question, and what it does cover."""
    wording = wording_for(question.answer_in)
    said = _pick(wording.nothing_more if question.said else wording.nothing, persona, question)
    rest = wording.offer.format(topics=_listed(topics, wording)) if topics else wording.invite
    return f"{_filled(said, persona)} {rest}"


def personal(question: Question, persona: Persona, topics: Sequence[str]) -> str:
    """An answer about the persona itself, or a courtesy."""
    wording = wording_for(question.answer_in)
    subjects = _listed(topics, wording)
    match question.intent:
        case Intent.THANKS:
            return _pick(wording.thanks, persona, question)
        case Intent.FAREWELL:
            return _pick(wording.farewell, persona, question)
        case Intent.IDENTITY:
            ending = wording.topics.format(topics=subjects) if topics else ""
            parts = [
                _filled(wording.identity, persona),
                _field(persona, wording),
                _description(persona),
                wording.method,
                ending,
            ]
        case Intent.TOPICS:
            ending = wording.topics.format(topics=subjects) if topics else wording.invite
            parts = [ending]
        case _:
            hello = _pick(wording.greetings.get(persona.type, wording.greetings["expert"]), persona, question)
            ending = wording.ask_me.format(topics=subjects) if topics else wording.invite
            parts = [_filled(hello, persona), _field(persona, wording), ending]
    return " ".join(part for part in parts if part)


def citations(units: Sequence[Unit], passages: Sequence[Passage]) -> tuple[dict[int, int], tuple[Passage, ...]]:
    """The passages that are quoted, in the order of their first quotation."""
    order = dict.fromkeys(unit.passage for unit in units)
    return {passage: number for number, passage in enumerate(order)}, tuple(passages[passage] for passage in order)


def _leads(question: Question, persona: Persona, chosen: Selection, wording: Wording) -> tuple[str, ...]:
    if chosen.cover is Cover.PARTIAL:
        return wording.partial
    if question.ask in _CALLED and question.terms:
        silent = wording.no_rating if question.ask is Ask.RATING else wording.no_position
        return wording.position if chosen.evaluates and question.ask is Ask.OPINION else silent
    if question.said and not any(unit.text in question.said for unit in chosen.units):
        return wording.more
    if chosen.general:
        return wording.overview
    usual = wording.leads.get(persona.type, wording.leads["expert"])
    return (*wording.asked.get(question.ask, ()), *usual[:1]) if question.ask in wording.asked else usual


def _groups(units: Sequence[Unit]) -> list[list[Unit]]:
    """Neighbouring units of one passage speak on; a jump to another passage begins a paragraph."""
    groups: list[list[Unit]] = []
    for unit in units:
        if groups and groups[-1][-1].passage == unit.passage:
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return groups


def _lines(units: Sequence[Unit], cited: dict[int, int]) -> str:
    text = ""
    for unit in units:
        marked = f"{_shown(unit)} [[CITE:{cited[unit.passage]}]]"
        listed = unit.kind in {Kind.ITEM, Kind.ROW, Kind.CODE}
        text += ("\n- " if listed else " " if not text.endswith("\n") else "") + marked
    return text.strip(" ")


def _shown(unit: Unit) -> str:
    if unit.kind is Kind.CODE:
        return f"`{unit.text}`"
    return unit.text


def _paragraphs(parts: Sequence[str]) -> str:
    """Lead-ins run into their quotation; a further quotation begins a paragraph."""
    text = parts[0]
    for number, part in enumerate(parts[1:]):
        separator = "" if part.startswith("\n") else " " if number % 2 == 0 else "\n\n"
        text += separator + part
    return text


def _field(persona: Persona, wording: Wording) -> str:
    field = _short(persona.discipline or "", _LONGEST_NAME)
    # A client that knows no field of a persona gives its name, and nobody's field is their own name.
    return wording.field.format(field=field) if field and persona.discipline != persona.name else ""


def _description(persona: Persona) -> str:
    described = _short(persona.description, _LONGEST_DESCRIPTION)
    if not described or described == _UNSAID:
        return ""
    return described if described.endswith((".", "!", "?", "…")) else f"{described}."


def _listed(topics: Sequence[str], wording: Wording) -> str:
    if not topics[1:]:
        return "".join(topics)
    return f"{', '.join(topics[:-1])} {wording.and_} {topics[-1]}"


def _filled(phrase: str, persona: Persona) -> str:
    return phrase.replace("{name}", _short(persona.name, _LONGEST_NAME))


def _short(text: str, longest: int) -> str:
    folded = _DOUBLED.sub("[", fold(text))
    return folded if len(folded) <= longest else folded[:longest].rsplit(" ", 1)[0] + "…"


def _pick(options: Sequence[str], persona: Persona, question: Question) -> str:
    digest = hashlib.sha256(f"{persona.id}\n{question.text}".encode(errors="replace")).digest()
    return options[int.from_bytes(digest[:4]) % len(options)]
