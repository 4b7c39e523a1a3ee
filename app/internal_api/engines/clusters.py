"""Themes without a language model: what people say in English, clause by clause, grouped by nearness of its words.

Contraries stay apart: what one negates and another says, and either end of a scale (`too cheap`, `too expensive`). What
is in another language than English is left uncoded, since the table of words does not know it.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

from app.internal_api.engines.coding import LONGEST_LABEL, MOST_CODES, NO_VIEW, OTHER, Code, Coded, Coding
from app.internal_api.knowledge.terms import DEFAULT, STOP_WORDS, guess_language, stem, words_of

METHOD = "embeddings"
ALIKE, RELATED = 0.33, 0.25  # cosines of two groups that become one: always, and while there are more than enough
MOST_CLAUSES = 1_500  # that are grouped; of what comes after them, nothing is coded but other
FEWEST = 2  # answers of a theme
LONGEST_PHRASE = 4  # words of a label

_CLAUSE = re.compile(r"[.!?;:…\n]+|,\s|\s(?:and|plus|but|also)\s")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NOT = frozenset(
    ["not", "never", "cannot"]
    + [f"{verb}nt" for verb in ("do", "does", "did", "is", "are", "was", "wo", "would", "ca", "could", "should")]
)
_SILENT = frozenset(["dunno", "idea", "tbh", "nothing", "none", "really", "sure", "opinion", "comment", "idk"])
_EMPTY = STOP_WORDS | _NOT | _SILENT
_REACH = 2  # words after a negation that it turns
_ENDS = (  # of scales: who says one end of the first and of the second kind means contrary things
    ("cheap inexpensive", "expensive costly pricey dear overpriced"),
    ("fast quick rushed", "slow sluggish"),
    ("easy simple", "hard difficult complicated complex confusing"),
    ("big large huge", "small tiny little"),
    ("long", "short"),
    ("hot warm", "cold"),
    ("early", "late"),
    ("loud noisy", "quiet silent"),
    ("bright", "dark"),
    ("sweet", "bitter sour"),
    ("good great excellent", "bad awful terrible poor"),
    ("like love", "dislike hate"),
    ("trust", "distrust"),
    ("safe", "unsafe dangerous"),
)
_END = {
    word: (pair, side) for pair, ends in enumerate(_ENDS) for side, words in enumerate(ends) for word in words.split()
}
Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of one answer: its exact text, the words that say something, what it negates, and ends of scales."""

    key: str
    text: str
    content: tuple[str, ...]
    said: frozenset[str]
    negated: frozenset[str]
    ends: frozenset[tuple[int, int]]

    def contradicts(self, other: "Clause") -> bool:
        if self.negated & (other.said - other.negated) or other.negated & (self.said - self.negated):
            return True
        return any((pair, 1 - side) in other.ends for pair, side in self.ends)


@dataclass(slots=True)
class Group:
    """Clauses of one theme, and whose they are; `code` is set where it was there before."""

    clauses: list[Clause]
    total: Any
    code: Code | None = None
    keys: set[str] = field(default_factory=set)

    def take(self, other: "Group") -> None:
        self.clauses += other.clauses
        self.total = self.total + other.total
        self.code = self.code or other.code
        self.keys |= other.keys

    def keeps_from(self, other: "Group") -> bool:
        """Whether the two may never be one."""
        both_known = self.code is not None and other.code is not None
        return both_known or any(one.contradicts(another) for one in self.clauses for another in other.clauses)


def cluster(
    embed: Embed, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
) -> Coded:
    """Group the answers' clauses; who says nothing of any theme is coded as other."""
    asked = frozenset(stem(word) for word in words_of(question))
    english = {key: text for key, text in texts.items() if guess_language(words_of(text)) == DEFAULT}
    clauses = [clause for key, text in english.items() for clause in _clauses(key, text, asked)][:MOST_CLAUSES]
    taught = [
        (code, clause) for code in known for text in examples.get(code.id, ()) for clause in _clauses("", text, asked)
    ]
    rows = embed([" ".join(clause.content) for clause in (*(clause for _, clause in taught), *clauses)])
    groups: dict[str, Group] = {}
    for (code, clause), row in zip(taught, rows, strict=False):
        groups.setdefault(code.id, Group([], 0 * row, code)).take(Group([clause], row))
    free = [Group([one], row, keys={one.key}) for one, row in zip(clauses, rows[len(taught) :], strict=True)]
    themes = sorted(_joined([*groups.values(), *free]), key=lambda group: (group.code is None, -len(group.keys)))
    codes, codings = [*known], {key: dict[str, str]() for key in english}
    for group in themes:
        if group.code is None and len(group.keys) >= FEWEST and len(codes) < MOST_CODES:
            group.code = Code(uuid4().hex[:8], _label(embed, group, {code.label.casefold() for code in codes}))
            codes.append(group.code)
        if group.code is not None:
            for clause in group.clauses:
                codings.get(clause.key, {}).setdefault(group.code.id, clause.text)
    silent = {key for key, text in english.items() if _EMPTY.issuperset(words_of(text))}
    rest = {key: {NO_VIEW if key in silent else OTHER: ""} for key in english}
    return Coded(tuple(codes), {key: Coding(found or rest[key]) for key, found in codings.items()}, METHOD)


def _clauses(key: str, text: str, asked: frozenset[str]) -> Iterator[Clause]:
    """The parts of a text that say something besides the question's own words."""
    start = 0
    for end, following in [*(found.span() for found in _CLAUSE.finditer(text)), (len(text), len(text))]:
        part, start = text[start:end].strip(), following
        words = [re.sub("['\u2019]", "", word).lower() for word in _WORD.findall(part)]
        content = tuple(word for word in words if word not in _EMPTY and stem(word) not in asked)
        if content:
            turned = {
                stem(word)
                for place, before in enumerate(words)
                if before in _NOT
                for word in words[place + 1 : place + 1 + _REACH]
            }
            said = frozenset(stem(word) for word in content)
            ends = frozenset(_end(words, place) for place, word in enumerate(words) if word in _END)
            yield Clause(key, part, content, said, said & turned, ends)


def _end(words: Sequence[str], place: int) -> tuple[int, int]:
    """The end of a scale that a word means here: a negation turns it round, and so does `less`."""
    pair, side = _END[words[place]]
    turns = sum(word in _NOT or word == "less" for word in words[max(0, place - _REACH) : place])
    return pair, side if turns % 2 == 0 else 1 - side


def _joined(groups: list[Group]) -> list[Group]:
    """The nearest two become one, again and again, as long as they are alike, or there are too many themes."""
    np = resolve_name("numpy")
    apart = np.eye(len(groups), dtype=bool)
    for one, other in combinations(range(len(groups)), 2):
        apart[one, other] = apart[other, one] = groups[one].keeps_from(groups[other])
    centres = np.array([group.total / max(float(np.linalg.norm(group.total)), 1e-9) for group in groups])
    near = np.where(apart, -1, centres @ centres.T) if groups else apart
    while len(groups) > 1:
        one, other = divmod(int(near.argmax()), len(groups))
        too_many = sum(len(group.keys) >= FEWEST for group in groups if group.clauses) > MOST_CODES
        if near[one, other] < (RELATED if too_many else ALIKE):
            break
        groups[one].take(groups[other])
        groups[other] = Group([], groups[other].total)
        apart[one] |= apart[other]
        apart[:, one], apart[other], apart[:, other] = apart[one], True, True
        centres[one] = groups[one].total / max(float(np.linalg.norm(groups[one].total)), 1e-9)
        near[one] = near[:, one] = np.where(apart[one], -1, centres @ centres[one])
        near[other] = near[:, other] = -1
    return [group for group in groups if group.clauses]


def _label(embed: Embed, group: Group, taken: Collection[str]) -> str:
    """The few words of the answers, side by side as they were said, that are nearest to the middle of the group."""
    phrases: dict[str, str] = {}
    for clause in group.clauses:
        spans = [found.span() for found in _WORD.finditer(clause.text)]
        says = [clause.text[slice(*span)].lower() in clause.content for span in spans]
        for first, last in combinations_with_replacement(range(len(spans)), 2):
            if last - first < LONGEST_PHRASE and says[first] and says[last]:
                text = clause.text[spans[first][0] : spans[last][1]]
                phrases.setdefault(text.casefold(), text)
    free = [text for folded, text in phrases.items() if folded not in taken] or [group.clauses[0].text[:LONGEST_LABEL]]
    near = embed(free) @ group.total
    best = max(range(len(free)), key=lambda place: (round(float(near[place]), 3), -len(free[place])))
    return f"{free[best][0].upper()}{free[best][1:]}"
