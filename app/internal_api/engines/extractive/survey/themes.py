"""Short labels for what an answer is about: the things that its clauses speak of."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.internal_api.engines.extractive.stopwords import DEFAULT, FUNCTION
from app.internal_api.engines.extractive.survey.aims import Aim, asks
from app.internal_api.engines.extractive.survey.label_words import AFTER_THINGS, BEFORE_THINGS, NO_THINGS
from app.internal_api.engines.extractive.survey.material import Material
from app.internal_api.engines.extractive.survey.statements import Statement
from app.internal_api.engines.extractive.survey.weighing import clauses, judgement, wishes
from app.internal_api.engines.extractive.terms import plain, stem, tokens
from app.internal_api.engines.sentiment import sentiment_of

MOST_LABELS = 3
_MOST_WORDS = 2
_SHORTEST = 3
_LONGEST = 28
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ASKED = 0.2  # what the question says itself tells little about the answer
_TWO_WORDS = 1.15
_LATER = 0.8  # of a statement that stands behind others
_REPEATED = 0.15
_MOST_REPEATED = 3
_KEEPS_UP = 0.5  # of the best label
_FITTING = 1.6
_VERDICT = 4.0
_UNPLACED = 0.3
_JUDGING = 0.35


@dataclass(frozen=True, slots=True)
class _Found:
    """Neighbouring words that may make a label, and how likely they do."""

    words: tuple[str, ...]
    worth: float


def _stems(words: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(stem(word, language) for word in said.split()) for language, said in words.items()}


_BEFORE = {language: frozenset(words.split()) for language, words in BEFORE_THINGS.items()}
_AFTER = {language: frozenset(words.split()) for language, words in AFTER_THINGS.items()}
_NO_THINGS = {
    language: words | _stems({language: " ".join(FUNCTION[language])})[language]
    for language, words in _stems(NO_THINGS).items()
}
_CALLED = re.compile(
    r"(?<!for )(?<!of )(?<!in )(?<!at )(?<!by )(?<!with )(?<!on )"
    r"\b([^\W\d_]+) (?:is|are|was|were) (?:(?:too|very|so|really|quite|rather|extremely|pretty) )*([^\W\d_]{3,})"
    r"(?: (?:and|but) (?:(?:too|very|so|really|quite|rather) )*([^\W\d_]{3,}))?\b"
)


def labels(quoted: Sequence[Statement], material: Material, name: str) -> list[str]:
    """One to three labels of at most two words, most telling first; none where no word says anything."""
    counts = Counter(word for each in material.every for word in each.stems)
    names = frozenset(tokens(name))
    found: dict[tuple[str, ...], _Found] = {}
    for place, statement in enumerate(quoted):
        for each in (*_called(statement, material), *_named(statement, material, names)):
            key = tuple(stem(plain(word), statement.language) for word in each.words)
            worth = each.worth * _LATER**place * _telling(key, counts, material)
            if key not in found or found[key].worth < worth:
                found[key] = _Found(tuple(_shown(each.words, statement.language)), worth)
    order = sorted((key for key in found if found[key].worth > 0), key=lambda key: -found[key].worth)
    kept = _apart([key for key in order if found[key].worth >= _KEEPS_UP * found[order[0]].worth])
    return [" ".join(found[key].words) for key in kept] or (_subject(material) if quoted else [])


def _subject(material: Material) -> list[str]:
    """What was asked about, in the words of the question."""
    language = material.question.language
    words = [
        word
        for word in _WORD.findall(material.question.text)
        if stem(plain(word), language) in material.inquiry.subject
    ]
    return [" ".join(_shown(words[:_MOST_WORDS], language))] if words else []


def _clauses(statement: Statement, material: Material) -> Iterator[tuple[str, bool]]:
    """The clauses of a statement, and whether each is of the side that is asked for."""
    aim = material.inquiry.aim
    for clause in clauses(statement.unit.text):
        sentiment = judgement(clause, statement.language, frozenset(material.inquiry.subject))
        match aim:
            case Aim.LIKE:
                fits = sentiment > 0
            case Aim.DISLIKE:
                fits = sentiment < 0
            case Aim.CHANGE:
                fits = sentiment < 0 or wishes(clause)
            case _:
                fits = sentiment != 0
        yield clause, fits


def _called(statement: Statement, material: Material) -> Iterator[_Found]:
    """What the subject itself is called: "the app is confusing" says more than "app" of a question on the app."""
    if statement.language != DEFAULT:
        return  # elsewhere the word changes its ending when it moves before its noun
    for thing, *called in _CALLED.findall(statement.unit.text):
        if stem(plain(thing), statement.language) in material.inquiry.subject:
            for word in filter(None, called):
                if sentiment_of(word, statement.language) * statement.sentiment > 0:
                    yield _Found((word, thing), _VERDICT)


def _named(statement: Statement, material: Material, names: frozenset[str]) -> Iterator[_Found]:
    """Neighbouring words that say something, one or two at a time."""
    for clause, fits in _clauses(statement, material):
        for run, placed in _runs(clause, statement.language, names):
            for size in range(1, min(len(run), _MOST_WORDS) + 1):
                for at in range(len(run) - size + 1):
                    # The last of the words behind "the" is the thing; one before it describes it.
                    there = placed and at + size == len(run)
                    worth = _form(run[at : at + size], statement.language, placed=there)
                    yield _Found(tuple(run[at : at + size]), worth * (_FITTING if fits else 1.0))


def _form(words: Sequence[str], language: str, *, placed: bool) -> float:
    """A thing in its place above all; a word of praise or blame at the end is seldom a thing."""
    if language == "de" and not words[-1][0].isupper():
        return 0.0
    judges = sentiment_of(words[-1], language) != 0
    if not placed:
        return 0.0 if judges else _UNPLACED
    return _JUDGING if judges else 1.0


def _runs(clause: str, language: str, names: frozenset[str]) -> Iterator[tuple[list[str], bool]]:
    """Words without a dull one or a mark between them, and whether they stand where things are named."""
    matches = list(_WORD.finditer(clause))
    spans: list[list[int]] = []
    for at, match in enumerate(matches):
        if not _tells(match.group(), language, names):
            continue
        if spans and spans[-1][1] == at and clause[matches[at - 1].end() : match.start()] == " ":
            spans[-1][1] = at + 1
        else:
            spans.append([at, at + 1])
    words = [match.group() for match in matches]
    for start, last in spans:
        end = last
        while end - start > 1 and sentiment_of(matches[end - 1].group(), language):
            end -= 1  # "the map lags"
        yield words[start:end], _is_placed(words, start, end, language)


def _tells(word: str, language: str, names: frozenset[str]) -> bool:
    if not _SHORTEST <= len(word) <= _LONGEST:
        return False
    told = tokens(word)
    return not (names.intersection(told) or all(_dull(part, language) for part in told))


def _dull(word: str, language: str) -> bool:
    known = _NO_THINGS.get(language, _NO_THINGS[DEFAULT])
    cut = stem(word, language)
    return word in known or cut in known or asks(cut, language)


def _is_placed(words: Sequence[str], start: int, end: int, language: str) -> bool:
    """Behind "the" or "of", or at the beginning before "is"; in German with a capital inside the sentence."""
    before = plain(words[start - 1]) if start else ""
    after = plain(words[end]) if end < len(words) else ""
    if language == "de":
        return words[end - 1][0].isupper() and (start > 0 or after in _AFTER[language])
    known = language if language in _BEFORE else DEFAULT
    return before in _BEFORE[known] or (not before and after in _AFTER[known])


def _telling(key: tuple[str, ...], counts: Counter[str], material: Material) -> float:
    each = [
        (1 + _REPEATED * min(_MOST_REPEATED, counts[word])) * (_ASKED if word in material.inquiry.subject else 1.0)
        for word in key
    ]
    return max(each) if len(key) == 1 else sum(each) / len(each) * _TWO_WORDS


def _apart(order: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Labels that share no word."""
    kept: list[tuple[str, ...]] = []
    for stems in order:
        if len(kept) < MOST_LABELS and not any(set(stems) & set(other) for other in kept):
            kept.append(stems)
    return kept


def _shown(words: Sequence[str], language: str) -> list[str]:
    """Only German words keep their capitals inside a label."""
    first, *rest = [word if language == "de" or word.isupper() else word.lower() for word in words]
    return [f"{first[0].upper()}{first[1:]}", *rest]
