"""Every sentence that a persona was given, and how far it answers a survey question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from app.internal_api.engines.extractive.questions import Question
from app.internal_api.engines.extractive.scoring import Matcher, stems_of
from app.internal_api.engines.extractive.stopwords import guess_language
from app.internal_api.engines.extractive.survey.aims import Aim, Inquiry
from app.internal_api.engines.extractive.survey.weighing import fit, judgement, leans_on, personal
from app.internal_api.engines.extractive.terms import tokens
from app.internal_api.engines.extractive.units import Kind, Unit, read_units
from app.internal_api.knowledge.documents import Passage

_MOST_READ = 40  # of one passage; a usual one has half as many
_MOST = 12  # that are kept; an answer has room for less
_ALIKE = 0.7
_FEW, _MANY = 4, 45  # words between which a sentence is quoted best
_LESS, _SCRAP = 0.7, 0.4
_OWN = 1.2  # what somebody says of themselves
_TOUCHES = 0.24  # share of the subject that a sentence has to name
_BRUSHES = 0.1  # the same, of the many words of an attachment
_ABOUT = 0.2  # share of its passage's sentences that have to name the subject, when it does not itself
_SPEAKS = 0.25  # how well it has to fit then
_RULED = 0.6  # the share of the subject in a verdict, which may well say "it"
_WHOLLY = 0.7  # a subject of several words is named so far by what is about it
_AROUND = 0.4  # what the passage's share counts for the sentence
_BY_ITSELF = 0.5  # the share of a sentence where the question is about everything
_HEADED = 0.7  # of a word that only the heading has
_NEUTRAL, _BESIDE = 0.5, 0.15  # what a statement is worth that takes no side, and where a side is asked for
_VERDICT = 0.8
_AGAINST = -0.2
_LANGUAGE_SHOWS = 600  # characters
_ONE_SIDE = {Aim.LIKE, Aim.DISLIKE, Aim.CHANGE}
_READABLE = {Kind.SENTENCE, Kind.ITEM, Kind.INTRO}


@dataclass(frozen=True, slots=True)
class Statement:
    """A unit, what it says for (1) or against (-1) its subject, and what it is worth as an answer; 0 for nothing.

    `named` when it speaks of the subject; `opening` is the sentence before it, where it cannot be understood without.
    """

    unit: Unit
    stems: frozenset[str]
    language: str
    sentiment: float
    worth: float
    named: bool
    opening: Unit | None

    @property
    def quoted(self) -> str:
        """The words with which it is told."""
        return f"{self.opening.text} {self.unit.text}" if self.opening else self.unit.text


@dataclass(frozen=True, slots=True)
class _Read:
    unit: Unit
    stems: frozenset[str]
    matched: dict[str, float]
    headed: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a passage: `about` when it is on the subject, of which it covers such a share."""

    language: str
    inquiry: Inquiry
    matcher: Matcher
    about: bool
    covers: float


def read_statements(question: Question, inquiry: Inquiry, passages: Sequence[Passage]) -> list[Statement]:
    """All that the passages say, in their order. `question` has the subject's words as its terms."""
    units = [unit for unit in read_units(passages) if unit.position < _MOST_READ]
    stems = [stems_of(unit.text, question.language) for unit in units]
    contexts = {unit.context: frozenset(stems_of(unit.context, question.language)) for unit in units}
    matcher = Matcher(question, stems, contexts.values())
    headed = {context: matcher.matched(words) for context, words in contexts.items()}
    read = [
        _Read(unit, frozenset(words), matcher.matched(frozenset(words)), headed[unit.context])
        for unit, words in zip(units, stems, strict=True)
    ]
    return [
        statement
        for number, group in groupby(read, key=attrgetter("unit.passage"))
        for statement in _of_passage(list(group), _language(passages[number], question), inquiry, matcher)
    ]


def best(statements: Iterable[Statement]) -> list[Statement]:
    """Those that answer, best first, none twice."""
    kept: list[Statement] = []
    for each in sorted((each for each in statements if each.worth > 0), key=lambda each: -each.worth):
        if len(kept) < _MOST and not any(_alike(each, other) for other in kept):
            kept.append(each)
    return kept


def _of_passage(read: Sequence[_Read], language: str, inquiry: Inquiry, matcher: Matcher) -> list[Statement]:
    shares = [_share(each, inquiry, matcher) for each in read]
    named = sum(share >= _TOUCHES for share in shares)
    whole = {term: strength for each in read for term, strength in each.matched.items()}
    covers = matcher.value(whole) if inquiry.subject else 1.0
    wholly = len(inquiry.subject) > 1 and covers >= _WHOLLY
    about = covers > 0 and (wholly or named >= _ABOUT * len(read) or _general(read, inquiry))
    seen = _Seen(language, inquiry, matcher, about, covers)
    return [
        _statement(each, before, share, seen) for before, each, share in zip([None, *read], read, shares, strict=False)
    ]


def _general(read: Sequence[_Read], inquiry: Inquiry) -> bool:
    return any(not inquiry.general.isdisjoint(each.stems) for each in read)


def _share(read: _Read, inquiry: Inquiry, matcher: Matcher) -> float:
    if not inquiry.subject:
        return _BY_ITSELF
    return max(matcher.value(read.matched), _HEADED * matcher.value(read.headed | read.matched))


def _statement(read: _Read, before: _Read | None, share: float, seen: _Seen) -> Statement:
    text, inquiry = read.unit.text, seen.inquiry
    sentiment = judgement(text, seen.language, frozenset(inquiry.subject))
    stems = read.stems if seen.language == seen.matcher.question.language else frozenset(stems_of(text, seen.language))
    ruled = inquiry.rules(stems, seen.language) and seen.about
    named = share >= _TOUCHES
    share = max(share, _RULED) if ruled else share
    fits = fit(inquiry, text, seen.language, sentiment) + (_VERDICT if ruled else 0.0)
    worth = 0.0
    if _answers(sentiment, fits, share, seen):
        wanted = inquiry.aim in _ONE_SIDE or (inquiry.aim is Aim.WEIGH and not inquiry.sided)
        neutral = _BESIDE if wanted else _NEUTRAL
        worth = (share + _AROUND * seen.covers) * (neutral + fits) * _form(read.unit) * _place(read.unit)
    leads = before is not None and before.unit.block == read.unit.block and leans_on(text)
    opening = before.unit if before and leads and before.unit.text.count(" ") + 1 >= _FEW else None
    return Statement(read.unit, read.stems, seen.language, sentiment, worth, named, opening)


def _answers(sentiment: float, fits: float, share: float, seen: _Seen) -> bool:
    """Whether it may be quoted: it is about the subject, and not of the other side than the one that is asked for."""
    aim = seen.inquiry.aim
    wanted = {Aim.LIKE: sentiment, Aim.DISLIKE: -sentiment, Aim.CHANGE: -sentiment}.get(aim, 0.0)
    if aim in _ONE_SIDE and (fits <= 0 or (wanted < _AGAINST and fits < _SPEAKS)):
        return False
    if seen.inquiry.subject:
        return share >= (_BRUSHES if seen.inquiry.loose else _TOUCHES) or (
            seen.about and aim in _ONE_SIDE and fits >= _SPEAKS
        )
    return fits > 0 or (aim is Aim.JUDGE and not seen.inquiry.sided)


def _language(passage: Passage, question: Question) -> str:
    return guess_language(tokens(passage.text[:_LANGUAGE_SHOWS]), question.language)


def _form(unit: Unit) -> float:
    words = unit.text.count(" ") + 1
    factor = 1.0 if unit.kind in _READABLE and words <= _MANY else _LESS
    factor *= 1.0 if words >= _FEW else _SCRAP
    return factor * (_OWN if personal(unit.text) else 1.0)


def _place(unit: Unit) -> float:
    """The search's own order counts a little, and so does standing at the beginning."""
    return (1 + 0.1 / (1 + unit.position)) * (1 - 0.02 * unit.passage)


def _alike(one: Statement, other: Statement) -> bool:
    if one.unit.text == other.unit.text:
        return True
    joined = one.stems | other.stems
    return bool(joined) and len(one.stems & other.stems) / len(joined) >= _ALIKE
