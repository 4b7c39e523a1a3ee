"""How well each unit of the passages answers a question."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.internal_api.engines.extractive.answering import shows
from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.questions import Question
from app.internal_api.engines.extractive.stopwords import DEFAULT, FUNCTION
from app.internal_api.engines.extractive.synonyms import STRENGTH, synonyms
from app.internal_api.engines.extractive.terms import likeness, stem, tokens
from app.internal_api.engines.extractive.units import Kind, Unit
from app.internal_api.knowledge.documents import Passage

_CONTEXT_SHARE = 0.7  # of a term that only the heading has
_NEIGHBOUR_SHARE = 0.25  # of what the sentence before it scored
_PHRASE_BONUS = 0.15
_LONG = 22  # words from which a sentence is counted as long
_SHORT = 4
_SUBJECT = 3  # words at the beginning that may name the subject
_REPEATED = 0.35  # a sentence that was already said
_CUE_BONUS = {
    Ask.WHO: 0.4,
    Ask.WHEN: 0.5,
    Ask.NUMBER: 0.5,
    Ask.DURATION: 0.7,
    Ask.PRICE: 0.6,
    Ask.DEGREE: 0.7,
    Ask.WHY: 0.5,
    Ask.OPINION: 0.4,
    Ask.RATING: 0.4,
}
_USUAL_BONUS = 0.3
_KIND_SHARE = {Kind.CODE: 0.7, Kind.INTRO: 0.9}


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with its score, its stems, and the question's terms that it or its context has.

    `fits` tells that it has the form that is asked for, `direct` that it has a term itself.
    """

    unit: Unit
    score: float
    stems: frozenset[str]
    matched: dict[str, float]
    fits: bool
    direct: bool


class Matcher:
    """The words of all units, and how each question term relates to them."""

    def __init__(self, question: Question, stems: Sequence[Sequence[str]], around: Iterable[frozenset[str]]) -> None:
        self.question = question
        counts = Counter(stem_ for words in stems for stem_ in set(words))
        vocabulary = frozenset(counts).union(*around)
        self._relatives = {term: self._relations(term, vocabulary) for term in question.terms}
        total = len(stems)
        self.weights = {
            term: weight * math.log(1 + (total + 1) / (1 + self._frequency(term, counts)))
            for term, weight in question.terms.items()
        }

    def matched(self, words: frozenset[str]) -> dict[str, float]:
        """The question's terms among these stems, each with the strength of the match."""
        found = {}
        for term, relatives in self._relatives.items():
            strength = max((relatives[word] for word in words if word in relatives), default=0.0)
            if strength:
                found[term] = strength
        return found

    def value(self, matched: dict[str, float]) -> float:
        """The share of the question that these matches cover, from 0 to 1."""
        whole = sum(self.weights.values())
        return sum(self.weights[term] * strength for term, strength in matched.items()) / whole if whole else 0.0

    def coverage(self, matched: dict[str, float]) -> float:
        """The share of the key terms; a rare word counts more, but at most twice."""
        key = self.question.key
        rarest = max((self.weights[term] for term in key), default=0.0)
        shares = {term: 0.5 + 0.5 * self.weights[term] / rarest for term in key} if rarest else {}
        whole = sum(shares.values())
        return (
            sum(shares[term] * strength for term, strength in matched.items() if term in key) / whole if whole else 0.0
        )

    def _relations(self, term: str, vocabulary: frozenset[str]) -> dict[str, float]:
        language = self.question.language
        near = synonyms(term, language)
        found = {}
        for word in vocabulary:
            strength = STRENGTH if word in near else likeness(term, word, language)
            if strength:
                found[word] = strength
        return found

    def _frequency(self, term: str, counts: Counter[str]) -> float:
        return sum(counts[word] * strength for word, strength in self._relatives[term].items())


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """The stems of the words that carry a subject, in order."""
    function = FUNCTION.get(language, FUNCTION[DEFAULT])
    return tuple(stem(word, language) for word in tokens(text) if word not in function)


def score_units(question: Question, units: Sequence[Unit], passages: Sequence[Passage]) -> tuple[list[Scored], Matcher]:
    """Every unit with its score, in the order of the units."""
    stems = [stems_of(unit.text, question.language) for unit in units]
    contexts = {unit.context: frozenset(stems_of(unit.context, question.language)) for unit in units}
    matcher = Matcher(question, stems, contexts.values())
    scored: list[Scored] = []
    before = 0.0
    for unit, words in zip(units, stems, strict=True):
        own = matcher.matched(frozenset(words))
        around = {term: part for term, part in matcher.matched(contexts[unit.context]).items() if term not in own}
        follows = bool(scored) and scored[-1].unit.block == unit.block and scored[-1].unit.passage == unit.passage
        base = matcher.value(own) + _CONTEXT_SHARE * matcher.value(around) + _phrases(question, words)
        relevance = base + (_NEIGHBOUR_SHARE * before if follows else 0.0)
        fits = _fits(question, unit, words)
        score = relevance * _form(question, unit, words, fits=fits) * _place(unit, passages[unit.passage])
        scored.append(Scored(unit, score, frozenset(words), {**around, **own}, fits, bool(own)))
        before = base
    return scored, matcher


def _fits(question: Question, unit: Unit, words: Sequence[str]) -> bool:
    if question.ask is Ask.DEFINITION and not question.key & set(words[:_SUBJECT]):
        return False  # a definition begins with what it defines
    return shows(unit.text, question.ask)


def _phrases(question: Question, words: Sequence[str]) -> float:
    """Words that stand side by side in the question and in the sentence."""
    pairs = set(pairwise(words))
    return _PHRASE_BONUS * min(2, sum(pair in pairs for pair in pairwise(question.terms)))


def _form(question: Question, unit: Unit, words: Sequence[str], *, fits: bool) -> float:
    factor = _KIND_SHARE.get(unit.kind, 1.0)
    if fits and question.ask is not Ask.OPEN:
        factor *= 1 + _CUE_BONUS.get(question.ask, _USUAL_BONUS)
    if len(words) > _LONG:
        factor *= _LONG / len(words) * 0.5 + 0.5
    elif len(words) < _SHORT and unit.kind in {Kind.SENTENCE, Kind.INTRO}:
        factor *= 0.7
    if question.said and unit.text in question.said:
        factor *= _REPEATED
    return factor


def _place(unit: Unit, passage: Passage) -> float:
    """The search's own order counts a little, and so does standing at the beginning."""
    similarity = min(1.0, max(0.0, passage.similarity)) if math.isfinite(passage.similarity) else 0.0
    return (1 + 0.1 / (1 + unit.position)) * (1 - 0.02 * unit.passage) * (0.9 + 0.1 * similarity)
