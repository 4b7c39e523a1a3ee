"""Which sentences make the answer, in which order, and whether they answer at all."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.questions import Question
from app.internal_api.engines.extractive.scoring import Matcher, Scored
from app.internal_api.engines.extractive.units import Kind, Unit

MOST_SENTENCES = 4
MOST_CHARACTERS = 900
_MOST_ITEMS = 5
_MOST_QUOTED = 8  # with the items of a list
_KEEPS_UP = 0.5  # of the best score; what is weaker is left out
_NEARLY = 0.7  # of the best score; a sentence of the right form may be that much worse
_MOST_FACTS = 2  # sentences that answer who, when, where, how many
_MOST_NEAR = 2  # sentences that only come near
_ALIKE = 0.7
_COVERED = 0.5
_WHOLE = 0.999  # every word of the question that says something
_NEVER = 2.0
_TOUCHED = 0.3
_FORMAL = {Ask.WHO, Ask.WHEN, Ask.WHERE, Ask.NUMBER, Ask.DURATION, Ask.PRICE, Ask.DEGREE, Ask.DEFINITION}
_STRICT = {Ask.WHEN, Ask.NUMBER, Ask.DURATION, Ask.PRICE, Ask.DEGREE}
_CALLED = {Ask.OPINION, Ask.RATING}
_LEANING = re.compile(
    r"(?:It|Its|This|That|These|Those|They|Their|He|She|His|Her|Such|Both|However|But|And|Then|So|Otherwise"
    r"|Instead|Therefore|Yet|Also|Er|Sie|Es|Dies|Diese|Dieser|Dieses|Das|Dabei|Dann|Deshalb|Daher|Doch|Aber"
    r"|Sonst|Il|Elle|Ils|Elles|Cela|Ceci|Ce|Cette|Ces|Mais"
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
    general: bool = False


def select(question: Question, scored: Sequence[Scored], matcher: Matcher) -> Selection:
    """Choose what to quote; nothing when the passages do not touch the question."""
    ranked = sorted((each for each in scored if each.score > 0), key=lambda each: (-each.score, _place(each.unit)))
    best = _pick(question, ranked, matcher)
    cover = _cover(question, best, matcher)
    if cover is Cover.NONE:
        return Selection((), cover, evaluates=False)
    if cover is Cover.PARTIAL:
        sentences = [each for each in best if each.unit.kind is Kind.SENTENCE]
        best = (sentences or best)[:_MOST_NEAR]
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
    return Selection(units, Cover.FULL if units else Cover.NONE, evaluates=False, general=True)


def _pick(question: Question, ranked: Sequence[Scored], matcher: Matcher) -> list[Scored]:
    formed = _in_form(question, ranked, matcher)
    wanted = [each for each in formed or ranked if each.direct or each.unit.kind is not Kind.ROW]
    most = _MOST_FACTS if question.ask in _FORMAL else MOST_SENTENCES
    share = _NEARLY if formed and question.ask in _FORMAL else _KEEPS_UP
    chosen: list[Scored] = []
    length = 0
    for each in _distinct(wanted[: MOST_SENTENCES * 6]):
        if len(chosen) == most or each.score < share * wanted[0].score:
            break
        if not chosen or length + len(each.unit.text) <= MOST_CHARACTERS:
            chosen.append(each)
            length += len(each.unit.text)
    return chosen


def _in_form(question: Question, ranked: Sequence[Scored], matcher: Matcher) -> Sequence[Scored]:
    """Only what has the form that is asked for; nothing when the best sentence is clearly another one."""
    formed = [each for each in ranked if each.fits] if question.ask in _FORMAL | _CALLED else []
    if not formed:
        return []
    needed = _KEEPS_UP if question.ask in _STRICT else _NEARLY
    covers = matcher.coverage(formed[0].matched) >= _NEARLY * matcher.coverage(ranked[0].matched)
    return formed if covers and formed[0].score >= needed * ranked[0].score else []


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
    """One sentence has to carry the answer; matches scattered over several do not add up to one."""
    values = [(matcher.coverage(each.matched), each.fits) for each in best]
    value = max((value for value, _ in values), default=0.0)
    if value < _TOUCHED:
        return Cover.NONE
    strict = question.ask in _STRICT
    matched = {term for each in best for term in each.matched}
    if any(term not in matched for term in question.names & question.terms.keys()):
        return Cover.PARTIAL if value >= _COVERED else Cover.NONE  # about somebody or somewhere else
    if strict:
        # What says "costs" of the very thing is about its price, even where no sum is recognised.
        loose = _WHOLE if question.ask is Ask.PRICE else _NEVER
        answered = any(part >= (_COVERED if fits else loose) for part, fits in values)
        return Cover.FULL if answered else Cover.PARTIAL
    return Cover.FULL if value >= _COVERED else Cover.PARTIAL


def _completed(best: Sequence[Scored], by_place: dict[tuple[int, int], Scored]) -> list[Unit]:
    """The choice with what makes it readable: the line over a list, its items, what "it" means."""
    chosen = {_place(each.unit): each.unit for each in best}
    rows = {(each.unit.passage, each.unit.lead) for each in best if each.unit.kind is Kind.ROW}
    for each in best:
        if _place(each.unit) in rows:
            continue  # the head of a table whose right row is already here
        for unit in _companions(each.unit, by_place):
            if len(chosen) < _MOST_QUOTED and _length(chosen.values()) + len(unit.text) <= MOST_CHARACTERS:
                chosen.setdefault(_place(unit), unit)
    return list(chosen.values())


def _companions(unit: Unit, by_place: dict[tuple[int, int], Scored]) -> list[Unit]:
    if unit.kind is Kind.INTRO:
        return _items(unit.passage, unit.position, by_place)
    if unit.lead is not None:
        lead = by_place.get((unit.passage, unit.lead))
        siblings = _items(unit.passage, unit.lead, by_place) if unit.kind is Kind.ITEM else []
        return [lead.unit, *siblings] if lead else []
    before = by_place.get((unit.passage, unit.position - 1))
    if before and before.unit.block == unit.block and _LEANING.match(unit.text):
        return [before.unit]
    return []


def _items(passage: int, lead: int, by_place: dict[tuple[int, int], Scored]) -> list[Unit]:
    units = (each.unit for each in by_place.values() if each.unit.passage == passage)
    return [unit for unit in units if unit.lead == lead][:_MOST_ITEMS]


def _ordered(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Passages in the order in which the choice first used them, and inside each as it is written."""
    order = list(dict.fromkeys(unit.passage for unit in units))
    return tuple(sorted(units, key=lambda unit: (order.index(unit.passage), unit.position)))


def _place(unit: Unit) -> tuple[int, int]:
    return unit.passage, unit.position


def _length(units: Iterable[Unit]) -> int:
    return sum(len(unit.text) for unit in units)
