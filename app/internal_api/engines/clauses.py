"""What open answers say in English, clause by clause: the words, what they negate or wish for, the topic. Pure."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.internal_api.knowledge.terms import STOP_WORDS, stem, words_of

_TABLE = tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))
_FORMS = {name: frozenset(words.split()) for name, words in _TABLE["forms"].items()}
_PHRASES: Mapping[str, str] = _TABLE["phrases"]
_PHRASE = re.compile("|".join(map(re.escape, _PHRASES)))
_TOPICS = [[part.split() for part in f"{words} | |".split("|")[:3]] for words in _TABLE["topics"].values()]
LABELS = tuple(_TABLE["topics"])
"""What each topic is called, by its number."""
_EVEN = frozenset(_TABLE["even"])
_WORTH = -1  # the scale from better to worse, which the others are part of
_EMPTY = STOP_WORDS | _FORMS["not"] | _FORMS["silent"] | _FORMS["filler"]
_CLAUSE = re.compile(r"[.!?;:…\n]+|,\s|\s(?:and|plus|but|also|because|since)\s")
_WORD = re.compile(r"[^\W_]+")
_REST = re.compile(r"\b(?:over|than|instead of)\b.*")
_OPPOSITE = re.compile(
    r"(?:un|dis|ir)(?=[a-z]{4})|(?:in|im)(?=(?:polite|complete|convenient|efficient|patient|practical))"
)
_REACH = 3  # words after a negation that it turns
_SHARED = 0.5  # of the words of the shorter of two clauses, from which on they speak of the same


@dataclass(frozen=True, slots=True)
class Table:
    """The topics of each word that stands in the table, of those words and their stems, and the ends of scales."""

    seeds: Mapping[str, frozenset[int]]
    known: Mapping[str, frozenset[int]]
    ends: Mapping[str, tuple[int, int]]


@cache
def table() -> Table:
    """The table, with its stems, for which the stemmer is loaded at the first call."""
    seeds, stems = dict[str, frozenset[int]](), dict[str, frozenset[int]]()
    for topic, parts in enumerate(_TOPICS):
        for word in (word for part in parts for word in part):
            for known, one in ((seeds, word), (stems, stem(word))):
                known[one] = known.get(one, frozenset()) | {topic}
    ends = {stem(word): (n, side) for n, parts in enumerate(_TOPICS) for side in (1, 2) for word in parts[side]}
    return Table(seeds, stems | seeds, ends)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of one answer: the words that speak of something, the stems said and those negated, ends of scales.

    `wishes` tells that it is of what is wanted, not of what is: to wish for one end of a scale means the other.
    """

    key: str
    text: str
    content: tuple[str, ...]
    said: frozenset[str]
    turned: frozenset[str]
    ends: frozenset[tuple[int, int]]
    wishes: bool

    def contradicts(self, other: "Clause") -> bool:
        if any((topic, 3 - side) in other.ends for topic, side in self.ends):
            return True
        if self.wishes != other.wishes or not (self.turned or other.turned):
            return False
        shared = self.said & other.said
        same = len(shared) > _SHARED * min(len(self.said), len(other.said))
        return same and not shared.isdisjoint(self.turned ^ other.turned)


def is_silent(text: str) -> bool:
    """Whether it says nothing of any subject."""
    return _EMPTY.issuperset(words_of(text))


def clauses_of(key: str, text: str, question: str) -> Iterator[Clause]:
    """The parts of a text that say something besides the question's own words."""
    asked = frozenset(stem(word) for word in words_of(question))
    wanted = not _FORMS["wanted"].isdisjoint(words_of(question))
    start = 0
    for end, following in [*(found.span() for found in _CLAUSE.finditer(text)), (len(text), len(text))]:
        part, start = text[start:end].strip(), following
        read = re.sub(r"n?['\u2019]t\b", " nt", _PHRASE.sub(lambda found: _PHRASES[found[0]], part.lower()))
        words = [_plain(word) for word in _WORD.findall(read)]
        before = len(_WORD.findall(_REST.sub("", read)))
        clause = _clause(key, part, words, before, asked, wanted=wanted)
        if clause.content:
            yield clause


def _clause(key: str, text: str, words: Sequence[str], before: int, asked: frozenset[str], *, wanted: bool) -> Clause:
    """`before`: how many words stand before what is set back (`price over location`)."""
    empty = _EMPTY | {word for word in words if word.isdecimal() or stem(word) in asked}
    spoken = {place: stem(word) for place, word in enumerate(words) if word not in empty}
    wishes, against = _is_wish(words, wanted=wanted), not _FORMS["against"].isdisjoint(words)
    said, turned, ends = set[str](), set[str](), set[tuple[int, int]]()
    negations = [place for place, word in enumerate(words) if word in _FORMS["not"]]
    # `The wifi does not work`: what is negated is the whole.
    whole = sum(not any(place < one <= place + _REACH for one in spoken) for place in negations)
    for place, one in enumerate(map(stem, words)):
        turns = sum(place - _REACH <= negation < place for negation in negations) + whole
        turns += against + (place >= before)
        if one in table().ends and one not in asked:
            topic, side = table().ends[one]
            side = side if (turns + wishes) % 2 == 0 else 3 - side
            ends |= {(topic, side)} if LABELS[topic] in _EVEN else {(topic, side), (_WORTH, side)}
        if place in spoken:
            base = stem(_OPPOSITE.sub("", words[place]))
            said.add(base)
            if (turns + (base != one)) % 2:
                turned.add(base)
    content = tuple(words[place] for place in spoken if place < before)
    return Clause(key, text, content, frozenset(said), frozenset(turned), frozenset(ends), wishes)


def _plain(word: str) -> str:
    """`quieter` as `quiet`, where that is an end of a scale."""
    bases = [word[:-2], f"{word[:-3]}y", word[:-1], word[:-3]] if word.endswith("er") else []
    return next((base for base in bases if stem(base) in table().ends), word)


def _is_wish(words: Sequence[str], *, wanted: bool) -> bool:
    """Whether it wishes for what it names: by its words, or as the question asks for that and nothing is stated."""
    stated = words[:1] == ["the"] or not _FORMS["state"].isdisjoint(words)
    preferred = wanted and not _FORMS["preference"].isdisjoint(words)
    fragment = not stated and (wanted or not _FORMS["compared"].isdisjoint(words[:1]))
    return preferred or fragment or not _FORMS["wish"].isdisjoint(words)


def topics_of(clauses: Iterable[Clause], near: Mapping[str, frozenset[int]]) -> list[int | None]:
    """Of each clause the topic that most of its words speak of, and most others; `near` knows words of no table."""
    known, none = {**near, **table().known}, frozenset[int]()
    named = [
        Counter(topic for word in each.content for topic in known.get(word) or known.get(stem(word), none))
        for each in clauses
    ]
    often = Counter(topic for topics in named for topic in topics)
    return [max(sorted(topics), key=lambda one: (topics[one], often[one]), default=None) for topics in named]
