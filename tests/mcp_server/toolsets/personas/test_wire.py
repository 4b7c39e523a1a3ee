"""Answers are read with suspicion: what is promised is insisted on, the rest is taken or left."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcp_server.toolsets.personas._wire as wire
from mcp_server.errors import ServiceUnavailable
from tests.mcp_server.toolsets.personas.test_answers import anything
from tests.mcp_server.toolsets.personas.world import id_of, summary


@given(anything)
def test_no_body_breaks_a_reader(body: Any) -> None:
    for read in (wire.page, wire.detail, wire.made):
        try:
            read(body)
        except ServiceUnavailable:
            continue
    wire.knowledge_states(body)


@given(st.dictionaries(st.sampled_from(["name", "discipline", "type", "tags", "createdAt", "description"]), anything))
def test_a_persona_with_odd_fields_is_still_a_persona_or_left_out(odd: dict[str, Any]) -> None:
    page = wire.page({"data": [{**summary("Ada"), **odd}]})

    assert page.received == 1
    assert [row.id for row in page.rows] in ([id_of("Ada")], [])


@given(st.text(max_size=400), st.integers(min_value=1, max_value=50))
def test_text_is_one_printable_line_of_limited_length(value: str, longest: int) -> None:
    line = wire.text({"key": value}, "key", longest)

    if line is not None:
        assert 1 <= len(line) <= longest
        assert line.splitlines() == [line]
        assert "\x1b" not in line


def test_a_long_text_is_cut_and_shows_it() -> None:
    assert wire.text({"key": "x" * 30}, "key", 10) == "x" * 9 + "\u2026"


@pytest.mark.parametrize("body", [None, [], {}, {"data": None}, {"data": "x"}])
def test_a_listing_that_is_none_is_refused(body: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        wire.page(body)


@pytest.mark.parametrize("data", [{}, {"id": "1"}, {"name": "Ada"}, {"id": 1, "name": "Ada"}, {"id": "", "name": "A"}])
def test_a_persona_without_id_or_name_is_refused(data: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        wire.detail({"data": data})


def test_the_demo_token_is_kept_where_nothing_prints_it() -> None:
    made = wire.made({"data": {**summary("Ada"), "demo": {"token": "very-secret", "expiresAt": "soon"}}})

    assert made.demo_token is not None
    assert made.demo_token.get_secret_value() == "very-secret"
    assert made.demo_expires_at == "soon"
    assert "very-secret" not in repr(made)


@pytest.mark.parametrize("demo", [None, "x", {}, {"token": ""}, {"token": 7}])
def test_where_there_is_no_demo_token_there_is_none(demo: Any) -> None:
    assert wire.made({"data": {**summary("Ada"), "demo": demo}}).demo_token is None


def test_an_item_without_a_state_counts_as_done() -> None:
    body = {"data": {"items": [{"id": "1"}, {"processing": {"status": "queued"}}, {"processing": None}, 7]}}

    assert wire.knowledge_states(body) == ["completed", "queued", "completed", "completed"]


@pytest.mark.parametrize(
    ("value", "whole", "number", "flag", "word"),
    [
        (3, 3, 3.0, None, None),
        (2.5, None, 2.5, None, None),
        (True, None, None, True, None),
        ("idle", None, None, None, "idle"),
        ("two words", None, None, None, None),
        (None, None, None, None, None),
    ],
)
def test_each_reader_takes_its_own_kind_only(
    value: Any, whole: int | None, number: float | None, flag: bool | None, word: str | None
) -> None:
    data = {"key": value}

    assert wire.whole(data, "key") == whole
    assert wire.number(data, "key") == number
    assert wire.flag(data, "key") is flag
    assert wire.word(data, "key") == word
