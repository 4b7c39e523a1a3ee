"""Ranked lists of sources whose scores cannot be compared become one."""

from collections.abc import Callable, Sequence

import pytest

from mcp_server.toolkit.sources import Found
from mcp_server.toolsets.knowledge.service import fused
from tests.mcp_server.toolsets.knowledge.three_sources import QUESTIONS, sources

SHOWN = 10


def reciprocal_rank(order: Sequence[str], wanted: str) -> float:
    return 1 / (order.index(wanted) + 1) if wanted in order[:SHOWN] else 0.0


def test_the_list_answers_better_than_one_source_after_the_other_and_than_their_scores() -> None:
    libraries = sources()
    scored = {query: {name: one.scored(query)[:SHOWN] for name, one in libraries.items()} for query, _ in QUESTIONS}

    def concatenated(query: str) -> list[str]:
        return [f"{name}:{key}" for name, hits in scored[query].items() for _, key in hits]

    def by_score(query: str) -> list[str]:
        every = [(score, f"{name}:{key}") for name, hits in scored[query].items() for score, key in hits]
        return [key for _, key in sorted(every, reverse=True)]

    def as_served(query: str) -> list[str]:
        ranked = {
            name: [Found(key, libraries[name].documents[key].title, f"https://{name}.example/{key}") for _, key in hits]
            for name, hits in scored[query].items()
        }
        return [f"{name}:{one.id}" for name, one in fused(query, ranked, SHOWN)]

    def quality(order: Callable[[str], list[str]]) -> float:
        return sum(reciprocal_rank(order(query), wanted) for query, wanted in QUESTIONS) / len(QUESTIONS)

    assert quality(as_served) > 0.75
    assert quality(as_served) > 1.5 * max(quality(concatenated), quality(by_score))


def hit(id: str, url: str = "", title: str = "") -> Found:
    return Found(id, title or id, url or f"https://one.example/{id}")


def test_what_two_sources_find_is_one_hit_and_comes_before_what_one_finds() -> None:
    shared = "https://shared.example/page"
    found = {"a": [hit("x"), hit("p", shared), hit("again", shared)], "b": [hit("y"), hit("q", f"{shared}#part")]}

    merged = fused("nothing alike 123", found, 10)

    assert merged[0] == ("a", hit("p", shared))
    assert sorted(one.id for _, one in merged) == ["p", "x", "y"]


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_where_ranks_are_equal_the_title_decides_whichever_source_comes_first(order: tuple[str, str]) -> None:
    found = {"a": [hit("1", title="Cooking")], "b": [hit("2", title="Retention of logs")]}

    assert fused("log retension", {name: found[name] for name in order}, 1) == [("b", found["b"][0])]
