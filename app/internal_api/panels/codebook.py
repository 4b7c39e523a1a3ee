"""Labels that say the same are one theme: `Prices`, `price` and `Priced` are counted together. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.internal_api.knowledge.language import stem
from app.internal_api.knowledge.terms import fold

MARKS = ".,;:!?\"'()[]-\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u00ab\u00bb"


@dataclass(frozen=True, slots=True)
class Theme:
    """`label` is the wording that was used most; `count` is how many answers speak of it."""

    label: str
    original_labels: tuple[str, ...]
    count: int


def key(label: str) -> str:
    """The same for labels that differ only in case, accents, outer marks and the endings of English words.

    All words count, since a small one may be the point: `not safe`, `no price`.
    """
    words = (word.strip(MARKS) for word in fold(label).split())
    return " ".join(stem(word) for word in words if word) or fold(label).strip()


def themes(answers: Iterable[Sequence[str]]) -> tuple[Theme, ...]:
    """One theme for each key, most frequent first; an answer that names one twice counts once."""
    wordings: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for labels in answers:
        by_key = {key(label): label for label in reversed(labels)}
        counts.update(reversed(by_key))
        for label in labels:
            wordings.setdefault(key(label), Counter())[label] += 1
    return tuple(_theme(wordings[each], count) for each, count in counts.most_common())


def labels_by_key(found: Iterable[Theme]) -> Mapping[str, str]:
    """What a key is called."""
    return {key(theme.label): theme.label for theme in found}


def _theme(wordings: Counter[str], count: int) -> Theme:
    originals = tuple(label for label, _ in wordings.most_common())
    return Theme(originals[0], originals, count)
