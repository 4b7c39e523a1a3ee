"""One ranked list from several, whose scores cannot be compared: reciprocal rank fusion. Pure.

Cormack, Clarke and Büttcher, SIGIR 2009. Sources seldom have the same document, so ranks alone would only take turns;
how well a title agrees with the question decides among them.
"""

from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz, utils

from mcp_server.toolkit.sources import Found

K = 60
"""The paper's: what stands tenth weighs six sevenths of what stands first."""
TITLE_WEIGHT = 0.2
"""What a title that agrees in full adds to a score, as a part of it; docs/knowledge.md has the measurement."""


def fused(query: str, found: Mapping[str, Sequence[Found]], limit: int) -> list[tuple[str, Found]]:
    """The best `limit` hits of all sources with the names of these; hits with one address are one, and count for each.

    Of several hits with one address that which its source ranks highest stays.
    """
    scores: dict[str, float] = {}
    first: dict[str, tuple[int, str, Found]] = {}
    for source, hits in found.items():
        once = {hit.url: (rank, source, hit) for rank, hit in reversed(list(enumerate(hits, 1)))}
        for url, placed in once.items():
            boost = 1 + TITLE_WEIGHT * agreement(query, placed[2].title)
            scores[url] = scores.get(url, 0.0) + boost / (K + placed[0])
            first[url] = min(first.get(url, placed), placed, key=lambda one: one[0])
    best = sorted(scores, key=lambda url: (-scores[url], first[url][0]))
    return [first[url][1:] for url in best[:limit]]


def agreement(query: str, title: str) -> float:
    """From 0 to 1: how much of the title, or of a part of it, the query has in whatever order, misspelt words too."""
    return fuzz.partial_token_sort_ratio(query, title, processor=utils.default_process) / 100
