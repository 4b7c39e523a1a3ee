"""Which candidates answer the question best: the same in both databases, whatever each calls rank. Pure."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.internal_api.knowledge.language import stem
from app.internal_api.knowledge.terms import Query, grams_of, words_of

SATURATION, LENGTH = 1.2, 0.5  # BM25's k1 and b; passages are of nearly one length
# A passage is never more similar than the share of the question's words that it has; BM25 tells passages with
# equal shares apart.
FLOOR = 0.6
SIGNIFICANT = 2  # letters that stemming never changes


@dataclass(frozen=True, slots=True)
class Ranked:
    index: int
    similarity: float


def rank(query: Query, candidates: Sequence[str]) -> list[Ranked]:
    """Best first, similarity between 0 and 1; candidates with no word of the question are left out."""
    terms = {stem(word) for word in query.words} | set(query.grams)
    counted = [_count(text, terms) for text in candidates]
    scores = _bm25(counted)
    best = max(scores, default=0.0)
    ranked = [
        Ranked(index, len(counts) / len(terms) * (FLOOR + (1 - FLOOR) * scores[index] / best))
        for index, (counts, _) in enumerate(counted)
        if counts
    ]
    return sorted(ranked, key=lambda one: (-one.similarity, one.index))


def _count(text: str, terms: set[str]) -> tuple[Counter[str], int]:
    """How often each term of the question occurs, and how long the candidate is."""
    words, grams = words_of(text), grams_of(text)
    starts = {term[:SIGNIFICANT] for term in terms}  # most words need no stemming to be passed over
    stems = [stem(word) for word in words if word[:SIGNIFICANT] in starts]
    return Counter(term for term in (*stems, *grams) if term in terms), len(words) + len(grams)


def _bm25(counted: Sequence[tuple[Counter[str], int]]) -> list[float]:
    # All passages with a word of the question are candidates, so their number serves for the collection's.
    found_in = Counter(term for counts, _ in counted for term in counts)
    mean = sum(length for _, length in counted) / max(1, len(counted)) or 1.0
    weight = {term: math.log(1 + (len(counted) - n + 0.5) / (n + 0.5)) for term, n in found_in.items()}
    return [
        sum(
            weight[term] * count * (SATURATION + 1) / (count + SATURATION * (1 - LENGTH + LENGTH * length / mean))
            for term, count in counts.items()
        )
        for counts, length in counted
    ]
