"""Themes without a language model: answers that are near each other in meaning, and clearly nearer than to any others.

What is not is coded as other. Contraries, which are near each other in meaning, are kept apart. Imported only where the
extra `embeddings` is installed, with which numpy comes.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np

from app.internal_api.engines.coding import LONGEST_LABEL, MOST_CODES, NO_VIEW, OTHER, Code, Coded, Coding
from app.internal_api.engines.contraries import CLAUSE, NOTHING, are_contrary, sayings
from app.internal_api.knowledge.terms import STOP_WORDS, words_of

METHOD = "embeddings"
MOST_GROUPED = 1_000  # answers that new themes are made of; of the rest it is seen which of these they speak of
MOST_COMPARED = 300  # parts of a theme that each is held against for contraries
ALIKE = 0.01  # mean cosine of two groups from which on they become one
NEAR, CLEARLY = 0.15, 0.08  # cosine of what is of a theme to its centre, and how much less to that of any other
COHERENT = 0.23  # mean cosine of all that is of a theme to its centre
NEUTRAL = 4  # answers that weigh on the centre of all as if they said nothing, so that few answers have one as well
ROUNDS = 3
FEWEST, SMALLEST = 3, 0.05  # answers of a theme, and their share of all
NAMING = 3  # letters that two words of a label may not both begin with
SAYS_NOTHING = 0.69  # cosine to one of NOTHING from which on an answer has no view
_WORD = re.compile(r"[^\W_]")
_NAME = re.compile(r"[^\W\d_]{3,}")

Embed = Callable[[Sequence[str]], Any]
Groups = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of the answer with this key, which is empty for an example of a known code, and with this number."""

    key: str
    text: str
    number: int


@dataclass(slots=True)
class Theme:
    """`contrary`: the parts of the one that says the contrary, if any."""

    parts: list[Part]
    contrary: list[Part]
    code: Code | None = None

    @property
    def keys(self) -> set[str]:
        return {part.key for part in self.parts if part.key}


def cluster(
    embed: Embed, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
) -> Coded:
    """Give each answer the codes of what its parts speak of: known ones, which their examples tell, and new ones."""
    cosines = embed([*texts.values()]) @ embed(NOTHING).T
    silent = {key for key, row in zip(texts, cosines, strict=True) if row.max() >= SAYS_NOTHING}
    taught = [(code, text) for code in known for text in examples.get(code.id, ())]
    said = [*(("", text) for _, text in taught), *((key, text) for key, text in texts.items() if key not in silent)]
    themes = _themes(embed, question, said, [code for code, _ in taught]) if said else []
    fewest = max(FEWEST, SMALLEST * len(texts))
    new = [theme for theme in themes if theme.code is None and len(theme.keys) >= fewest]
    new = sorted(new, key=lambda theme: -len(theme.keys))[: max(0, MOST_CODES - len(known))]
    codes = [*known]
    for theme in new:
        label = _label(embed, theme, question, {frozenset(words_of(code.label)) for code in codes})
        theme.code = Code(uuid4().hex[:8], label)
        codes.append(theme.code)
    found: dict[str, dict[str, str]] = {key: {} for key in texts}
    for code, theme in ((each.code, each) for each in themes if each.code is not None):
        for key in theme.keys:  # what is quoted reaches from the first part that is of the theme to the last
            own = [part.text for part in theme.parts if part.key == key]
            ends = [(at, at + len(one)) for one in own for at in [texts[key].find(one)]]
            found[key][code.id] = texts[key][min(ends)[0] : max(ends)[1]]
    rest = {key: {NO_VIEW if key in silent else OTHER: ""} for key in texts}
    return Coded(tuple(codes), {key: Coding(each or rest[key]) for key, each in found.items()}, METHOD)


def _themes(embed: Embed, question: str, said: Sequence[tuple[str, str]], taught: Sequence[Code]) -> list[Theme]:
    """The themes of what is said with its keys; the first of it are the examples of known codes."""
    parts = [Part(key, part, number) for number, (key, text) in enumerate(said) for part in parts_of(text)]
    owners = np.array([part.number for part in parts])
    whole, rows = _centred(embed, question, [text for _, text in said], [part.text for part in parts])
    codes = list(dict.fromkeys(taught))
    groups = _grouped(whole, [[number for number, code in enumerate(taught) if code is one] for one in codes])
    near = _nearness(_unit(rows + whole[owners]), owners, whole, groups)
    place = _placed(near)
    found: list[Theme] = []
    for n in range(len(groups)):
        code, here = codes[n] if n < len(codes) else None, place == n
        if code is None and not (here.any() and near[here, n].mean() >= COHERENT):
            continue
        own = [Part("", said[number][1], number) for number, one in enumerate(taught) if one is code]
        spoken = [*own, *(parts[at] for at in np.flatnonzero(here) if parts[at].key)]
        sides = _sides(spoken, [_told(part, said[part.number][1], question) for part in spoken], question)
        found += [Theme(sides[0], sides[1], code), Theme(sides[1], sides[0])]
    return found


def _told(part: Part, answer: str, question: str) -> str:
    """What a part is held against others by: the whole answer where it takes no side itself ("honestly")."""
    return part.text if any(one.ends for one in sayings(part.text, question)) else answer


def parts_of(text: str) -> Sequence[str]:
    """The clauses of a text that have a word."""
    return [clause.strip() for clause in CLAUSE.split(text) if _WORD.search(clause)] or [text]


def _centred(embed: Embed, question: str, *kinds: Sequence[str]) -> list[Any]:
    """Unit vectors of the texts of each kind, without what they share with the question and with the first kind."""
    (asked,) = embed([question])
    found = [_unit(rows - (rows @ asked)[:, None] * asked) for rows in map(embed, kinds)]
    centre = found[0].sum(axis=0) / (len(found[0]) + NEUTRAL)
    return [_unit(rows - centre) for rows in found]


def _unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _grouped(whole: Any, known: Groups) -> Groups:
    """Groups of answers: those of the known examples, with what is near to them, and those of the rest."""
    every, examples = np.arange(len(whole)), [number for group in known for number in group]
    free = np.setdiff1d(np.flatnonzero(_placed(_nearness(whole, every, whole, known)) < 0), examples)[:MOST_GROUPED]
    groups: list[Any] = [*known, *(free[group] for group in _joined(whole[free] @ whole[free].T)[: 2 * MOST_CODES])]
    for _ in range(ROUNDS):
        place = _placed(_nearness(whole, every, whole, groups))
        for n, group in enumerate(known):
            place[group] = n
        groups = [np.flatnonzero(place == n) for n in range(len(groups))]
        groups = [group for n, group in enumerate(groups) if n < len(known) or len(group) >= FEWEST]
    return groups


def _joined(near: Any) -> list[list[int]]:
    """Groups of rows, the largest first: the two that are nearest in the mean become one, as long as they are alike."""
    groups = [[row] for row in range(len(near))]
    np.fill_diagonal(near, -1)
    while len(near) > 1:
        one, other = divmod(int(near.argmax()), len(near))
        if near[one, other] < ALIKE:
            break
        here, there = len(groups[one]), len(groups[other])
        near[one] = near[:, one] = (here * near[one] + there * near[other]) / (here + there)
        near[one, one] = near[other] = near[:, other] = -1
        groups[one] += groups[other]
        groups[other] = []
    return sorted((group for group in groups if len(group) >= FEWEST), key=len, reverse=True)


def _nearness(rows: Any, owners: Any, whole: Any, groups: Groups) -> Any:
    """The cosine of each row to the centre of each group, as that is without the answer that the row is of."""
    inside = np.zeros((len(whole), len(groups)), dtype=np.float32)
    for n, group in enumerate(groups):
        inside[group, n] = 1
    totals, own = inside.T @ whole, inside[owners]
    dots = rows @ totals.T - own * (rows * whole[owners]).sum(axis=1, keepdims=True)
    squares = (totals**2).sum(axis=1) - own * (2 * (whole @ totals.T)[owners] - 1)
    return dots / np.sqrt(np.maximum(squares, 1e-6))


def _placed(near: Any) -> Any:
    """For each row the group that it is near to, and clearly nearer than to any other; else -1."""
    ranked = np.sort(np.hstack([np.zeros((len(near), 2)), near]), axis=1)
    clear = (ranked[:, -1] >= NEAR) & (ranked[:, -1] - ranked[:, -2] >= CLEARLY)
    return np.where(clear, near.argmax(axis=1), -1) if near.size else np.full(len(near), -1)


def _sides(parts: Sequence[Part], told: Sequence[str], question: str) -> tuple[list[Part], list[Part]]:
    """The parts whose texts do not contradict each other, most of them first, and those that contradict only these."""
    against = [sum(are_contrary(text, other, question) for other in told[:MOST_COMPARED]) for text in told]
    sides: tuple[list[int], list[int]] = ([], [])
    for at in sorted(range(len(parts)), key=lambda at: (bool(parts[at].key), against[at])):
        for side in sides:
            if not any(are_contrary(told[at], told[other], question) for other in side[:MOST_COMPARED]):
                side.append(at)
                break
    one, other = ([parts[at] for at in side] for side in sides)
    return one, other


def _label(embed: Embed, theme: Theme, question: str, taken: Collection[frozenset[str]]) -> str:
    """Two words that are near to it and said often, though not by who says the contrary; else its shortest part."""
    texts = sorted((part.text for part in theme.parts), key=len)
    empty = STOP_WORDS.union(words_of(" ".join([question, *(part.text for part in theme.contrary)])))
    counts = Counter(
        word for text in texts for word in {*_NAME.findall(text.lower())} if empty.isdisjoint(words_of(word))
    )
    near = dict(zip(counts, embed([*counts]) @ embed(texts).sum(axis=0), strict=True))
    words = sorted(counts, key=lambda word: -counts[word] * near[word])
    labels = [f"{words[0]}, {word}" for word in words[1:] if word[:NAMING] != words[0][:NAMING]] or words
    label = next((one for one in [*labels, *texts] if frozenset(words_of(one)) not in taken), texts[0])[:LONGEST_LABEL]
    return label[:1].upper() + label[1:]
