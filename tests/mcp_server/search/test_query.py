"""What a query asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.search.index import SearchIndex
from mcp_server.search.query import MOST_UNITS, Unit, camel_parts, indexed, shown, units_of, words_of


def words(query: str) -> list[str]:
    return [" ".join(unit.words) for unit in units_of(query)]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("How do I set the rate limit?", ["set", "rate", "limit"]),
        ('"sliding window" redis', ["sliding window", "redis"]),
        ("UC-2-002", ["uc 2 002"]),
        ("--dry-run", ["dry run"]),
        ("MCP_MAX_SEARCH_RESULTS", ["mcp max search results"]),
        ("where is it", ["where", "is", "it"]),
        ("文档搜索", ["文 档 搜 索"]),
        ("", []),
    ],
)
def test_words_phrases_and_identifiers_are_told_apart(query: str, wanted: list[str]) -> None:
    assert words(query) == wanted


def test_a_very_long_query_is_cut() -> None:
    assert len(units_of(" ".join(f"w{n}" for n in range(10_000)))) == MOST_UNITS


@given(st.text())
def test_what_is_parted_for_the_index_is_shown_as_it_was(text: str) -> None:
    assert shown(indexed(text)) == shown(text)


def test_names_in_camel_case_are_found_by_their_parts() -> None:
    assert camel_parts(words_of("call createPanel() of HTTPServer")) == "HTTP Server create Panel"


@given(st.text(min_size=1, max_size=200))
def test_no_text_is_syntax_to_the_engine(query: str) -> None:
    index = SearchIndex()
    try:
        assert index.search(query, 3) == []
    finally:
        index.close()


def test_an_expression_holds_nothing_but_words() -> None:
    [unit] = units_of('"a) OR body:* NEAR(b"')

    assert unit == Unit(("a", "or", "body", "near", "b"), exact=True)
