"""Themes of answers without labels: the terms that several of them share. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil

from mcp_server.toolsets.panels._aggregation.common_words import COMMON
from mcp_server.toolsets.panels._aggregation.roots import Roots
from mcp_server.toolsets.panels._aggregation.texts import words

MOST = 8
SHORTEST = 4
SEVERAL, PORTION = 2, 0.1
"""How many answers, and which part of them, must share a term before it is a theme."""

COVERED = 0.6
"""A word is left out when so much of its use is inside a pair of words that is a theme itself."""

Term = tuple[str, ...]


def shared_terms(messages: Sequence[str], question: str) -> list[list[str]]:
    """For each message the terms that others share, the more frequent first. The order of the messages is kept."""
    texts = [words(message) for message in messages]
    asked = words(question)
    roots = _roots(Counter(word for text in texts for word in set(text)) + Counter(set(asked)), asked)
    spoken = [_terms(text, roots) for text in texts]
    chosen = _chosen(Counter(term for terms in spoken for term in terms), len(messages))
    shown = {term: _shown(term, spoken) for term in chosen}
    return [[shown[term] for term in chosen if term in terms] for terms in spoken]


def _roots(counted: Counter[str], asked: Sequence[str]) -> dict[str, str | None]:
    """Word -> root; None for what says nothing by itself, and for what the question has said."""
    roots = Roots(counted)
    known = {roots.of(word) for word in asked}
    return {
        word: root if (root := roots.of(word)) not in known and _tells(word) and _tells(root) else None
        for word in counted
    }


def _tells(word: str) -> bool:
    return len(word) >= SHORTEST and word not in COMMON and not word.isdigit()


def _terms(text: list[str], roots: Mapping[str, str | None]) -> dict[Term, str]:
    """The telling words, and pairs of neighbours, each with how it was written."""
    found: dict[Term, str] = {}
    rooted = [(roots[word], word) for word in text]
    for root, word in rooted:
        if root:
            found.setdefault((root,), word)
    for (one, first), (other, second) in pairwise(rooted):
        if one and other:
            found.setdefault((one, other), f"{first} {second}")
    return found


def _chosen(often: Counter[Term], messages: int) -> list[Term]:
    least = max(SEVERAL, ceil(PORTION * messages))
    frequent = {term: count for term, count in often.items() if count >= least}
    pairs = {term: count for term, count in frequent.items() if len(term) > 1}
    kept = [term for term in frequent if len(term) > 1 or not _covered(term[0], frequent[term], pairs)]
    return sorted(kept, key=lambda term: (-frequent[term], -len(term), term))[:MOST]


def _covered(word: str, count: int, pairs: dict[Term, int]) -> bool:
    return any(word in pair and inside >= COVERED * count for pair, inside in pairs.items())


def _shown(term: Term, spoken: list[dict[Term, str]]) -> str:
    written = Counter(terms[term] for terms in spoken if term in terms)
    return min(written, key=lambda text: (-written[text], len(text), text)).capitalize()
