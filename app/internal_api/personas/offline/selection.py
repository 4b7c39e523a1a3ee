"""Which sentences make the answer, in which order, and whether they answer at all."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.internal_api.personas.offline.cues import Ask
from app.internal_api.personas.offline.questions import Question
from app.internal_api.personas.offline.scoring import Matcher, Scored
from app.internal_api.personas.offline.units import Kind, Unit

MOST_SENTENCES = 4
MOST_CHARACTERS = 900
_MOST_ITEMS = 5
_MOST_QUOTED = 8  # with the items of a list
_KEEPS_UP = 0.5  # of the best score; what is weaker is left out
_ALIKE = 0.7
_COVERED = 0.55
_TOUCHED = 0.3
_STRICT_FORM = {Ask.WHEN, Ask.NUMBER, Ask.DURATION}
_LEANING = re.compile(
    r"(?:It|Its|This|That|These|Those|They|Their|He|She|His|Her|Such|Both|However|But|And|Then|So|Otherwise|Instead|Therefore|Yet|Also"
    r"|Er|Sie|Es|Dies|Diese|Dieser|Dieses|Das|Dabei|Dann|Deshalb|Daher|Doch|Aber|Sonst|Il|Elle|Ils|Elles|Cela|Ceci|Ce|Cette|Ces|Mais"
    r"|Ainsi|Ensuite|Sinon|Este|Esta|Esto|Estos|Ello|Ellos|Pero|Entonces|Luego|Así)\b"
)


class Cover(StrEnum):
    """How much of the question the knowledge covers."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Selection:
    """The units to quote in the order of speaking, and what they amount to."""

    units: tuple[Unit, ...]
    cover: Cover
    evaluates: bool


def select(question: Question, scored: Sequence[Scored], matcher: Matcher) -> Selection:
    """Choose what to quote; nothing when the passages do not touch the question."""
    ranked = sorted((each for each in scored if each.score > 0), key=lambda each: (-each.score, _place(each.unit)))
    best = _pick(ranked)
    cover = _cover(question, best, matcher)
    if cover is Cover.NONE:
        return Selection((), cover, evaluates=False)
    by_place = {_place(each.unit): each for each in scored}
    evaluates = any(each.fits for each in best)
    return Selection(_ordered(_completed(best, by_place)), cover, evaluates)


def overview(scored: Sequence[Scored]) -> Selection:
    """The beginning of each of the first passages: for a question without a subject of its own."""
    first: dict[int, Scored] = {}
    for each in scored:
        if each.unit.kind is Kind.SENTENCE:
            first.setdefault(each.unit.passage, each)
    units = tuple(each.unit for each in _distinct(list(first.values()))[:3])
    return Selection(units, Cover.FULL if units else Cover.NONE, evaluates=False)


def _pick(ranked: Sequence[Scored]) -> list[Scored]:
    chosen: list[Scored] = []
    length = 0
    for each in _distinct(ranked[: MOST_SENTENCES * 6]):
        if len(chosen) == MOST_SENTENCES or each.score < _KEEPS_UP * ranked[0].score:
            break
        if not chosen or length + len(each.unit.text) <= MOST_CHARACTERS:
            chosen.append(each)
            length += len(each.unit.text)
    return chosen


def _distinct(ranked: Sequence[Scored]) -> list[Scored]:
    kept: list[Scored] = []
    for each in ranked:
        if not any(_alike(each, other) for other in kept):
            kept.append(each)
    return kept


def _alike(one: Scored, other: Scored) -> bool:
    if one.unit.text == other.unit.text:
        return True
    joined = one.stems | other.stems
    return bool(joined) and len(one.stems & other.stems) / len(joined) >= _ALIKE


def _cover(question: Question, best: Sequence[Scored], matcher: Matcher) -> Cover:
    matched: dict[str, float] = {}
    for each in best:
        for term, strength in each.matched.items():
            matched[term] = max(strength, matched.get(term, 0.0))
    value = matcher.value(matched)
    strong = any(question.terms[term] == max(question.terms.values()) for term in matched)
    if value < _TOUCHED or not strong:
        return Cover.NONE
    stranger = any(term not in matched for term in question.names & question.terms.keys())
    misses_form = question.ask in _STRICT_FORM and not any(each.fits for each in best)
    return Cover.PARTIAL if value < _COVERED or stranger or misses_form else Cover.FULL


def _completed(best: Sequence[Scored], by_place: dict[tuple[int, int], Scored]) -> list[Unit]:
    """The choice with what makes it readable: the line over a list, its items, the sentence that "it" means."""
    chosen = {_place(each.unit): each.unit for each in best}
    for each in best:
        for unit in _companions(each.unit, by_place):
            if len(chosen) < _MOST_QUOTED and _length(chosen.values()) + len(unit.text) <= MOST_CHARACTERS:
                chosen.setdefault(_place(unit), unit)
    return list(chosen.values())


def _companions(unit: Unit, by_place: dict[tuple[int, int], Scored]) -> list[Unit]:
    if unit.kind is Kind.INTRO:
        items = [each.unit for each in by_place.values() if each.unit.passage == unit.passage]
        return [item for item in items if item.lead == unit.position][:_MOST_ITEMS]
    if unit.lead is not None:
        lead = by_place.get((unit.passage, unit.lead))
        return [lead.unit] if lead else []
    before = by_place.get((unit.passage, unit.position - 1))
    if before and before.unit.block == unit.block and _LEANING.match(unit.text):
        return [before.unit]
    return []


def _ordered(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Passages in the order in which the choice first used them, and inside each as it is written."""
    order = list(dict.fromkeys(unit.passage for unit in units))
    return tuple(sorted(units, key=lambda unit: (order.index(unit.passage), unit.position)))


def _place(unit: Unit) -> tuple[int, int]:
    return unit.passage, unit.position


def _length(units: Iterable[Unit]) -> int:
    return sum(len(unit.text) for unit in units)
