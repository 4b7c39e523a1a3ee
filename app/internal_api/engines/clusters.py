"""Themes without a language model: what people say in English, clause by clause, grouped by topic and nearness.

Contraries stay apart: what one negates and another says, and either end of a scale (`too cheap`, `too expensive`). What
is in another language than English is left uncoded, since neither table of words knows it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

from app.internal_api.engines.clauses import LABELS, Clause, clauses_of, is_silent, table, topics_of
from app.internal_api.engines.coding import LONGEST_LABEL, MOST_CODES, NO_VIEW, OTHER, Code, Coded, Coding
from app.internal_api.knowledge.terms import DEFAULT, guess_language, stem, words_of

METHOD = "embeddings"
ALIKE = 0.4  # cosine of two groups from which on they become one
SAME_WORD = 0.6  # cosine of a word to one of a topic from which on it is of that topic
MOST_CLAUSES = 1_500  # that are grouped; of what comes after them, nothing is coded but other
FEWEST = 2  # answers of a theme

Embed = Callable[[Sequence[str]], Any]


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
    english = {key: text for key, text in texts.items() if guess_language(words_of(text)) == DEFAULT}
    clauses = [clause for key, text in english.items() for clause in clauses_of(key, text, question)][:MOST_CLAUSES]
    taught = [
        (code, clause)
        for code in known
        for text in examples.get(code.id, ())
        for clause in clauses_of("", text, question)
    ]
    rows = _rows(embed, [*(clause for _, clause in taught), *clauses])
    groups: dict[str, Group] = {}
    for (code, clause), row in zip(taught, rows, strict=False):
        groups.setdefault(code.id, Group([], 0 * row, code)).take(Group([clause], row))
    free = [Group([one], row, keys={one.key}) for one, row in zip(clauses, rows[len(taught) :], strict=True)]
    themes = sorted(_joined([*groups.values(), *free]), key=lambda group: (group.code is None, -len(group.keys)))
    codes, codings = [*known], {key: dict[str, str]() for key in english}
    new = [group for group in themes if group.code is None and len(group.keys) >= FEWEST]
    new = new[: max(0, MOST_CODES - len(known))]
    topics, taken = Counter(map(_topic, new)), {code.label.casefold() for code in codes}
    for group in new:
        topic = _topic(group)
        label = _label(embed, group, "" if topic is None else LABELS[topic], taken, alone=topics[topic] == 1)
        taken.add(label.casefold())
        group.code = Code(uuid4().hex[:8], label)
        codes.append(group.code)
    for group in themes:
        if group.code is not None:
            for clause in group.clauses:
                codings.get(clause.key, {}).setdefault(group.code.id, clause.text)
    silent = {key for key, text in english.items() if is_silent(text)}
    rest = {key: {NO_VIEW if key in silent else OTHER: ""} for key in english}
    return Coded(tuple(codes), {key: Coding(found or rest[key]) for key, found in codings.items()}, METHOD)


def _rows(embed: Embed, clauses: Sequence[Clause]) -> Any:
    """Each clause by the meaning of its words, and by its topic."""
    np = resolve_name("numpy")
    words = sorted({word for clause in clauses for word in clause.content if stem(word) not in table().known})
    seeds = [*table().seeds]
    cosines = embed(words) @ embed(seeds).T if words else np.zeros((0, 1))
    near = {
        word: table().seeds[seeds[int(row.argmax())]]
        for word, row in zip(words, cosines, strict=True)
        if row.max() >= SAME_WORD
    }
    topics = np.zeros((len(clauses), len(LABELS)))
    for row, topic in zip(topics, topics_of(clauses, near), strict=True):
        row[topic if topic is not None else slice(0)] = 1
    return np.hstack([embed([" ".join(clause.content) for clause in clauses]), topics])


def _joined(groups: list[Group]) -> list[Group]:
    """The nearest two become one, again and again, as long as they are alike."""
    np = resolve_name("numpy")
    apart = np.eye(len(groups), dtype=bool)
    for one, other in combinations(range(len(groups)), 2):
        apart[one, other] = apart[other, one] = groups[one].keeps_from(groups[other])
    centres = np.array([group.total / max(float(np.linalg.norm(group.total)), 1e-9) for group in groups])
    near = np.where(apart, -1, centres @ centres.T) if groups else apart
    while len(groups) > 1:
        one, other = divmod(int(near.argmax()), len(groups))
        if near[one, other] < ALIKE:
            break
        groups[one].take(groups[other])
        groups[other] = Group([], groups[other].total)
        apart[one] |= apart[other]
        apart[:, one], apart[other], apart[:, other] = apart[one], True, True
        centres[one] = groups[one].total / max(float(np.linalg.norm(groups[one].total)), 1e-9)
        near[one] = near[:, one] = np.where(apart[one], -1, centres @ centres[one])
        near[other] = near[:, other] = -1
    return [group for group in groups if group.clauses]


def _topic(group: Group) -> int | None:
    """What most of its clauses speak of."""
    topics = group.total[-len(LABELS) :]
    return int(topics.argmax()) if topics.max() * 2 > len(group.clauses) else None


def _label(embed: Embed, group: Group, topic: str, taken: Collection[str], *, alone: bool) -> str:
    """The topic's name, with what most say of it where several themes are of it; else what most say."""
    if topic and alone and topic.casefold() not in taken:
        return topic
    said = Counter(
        word for each in group.clauses for word in dict.fromkeys(each.content) if stem(word) not in each.turned
    )
    near = dict(zip(said, embed([*said]) @ group.total[: -len(LABELS)], strict=True))
    # What tells two themes of one topic apart is an end of a scale, if anything.
    words = sorted(said, key=lambda word: (bool(topic) and stem(word) not in table().ends, -said[word], -near[word]))
    labels = [f"{topic}: {word}" if topic else word.capitalize() for word in (*words, " and ".join(words[:2]))]
    return next((label for label in labels if label.casefold() not in taken), group.clauses[0].text[:LONGEST_LABEL])
