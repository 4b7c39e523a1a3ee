"""Every name has one twin, and what people wrote is left as they wrote it."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.minds_api.dialect import (
    BEFORE_TO_TODAY,
    COLLECTIONS,
    MARKS,
    TODAY_TO_BEFORE,
    Dialect,
    from_wire,
    path,
    to_wire,
)

CURRENT, SPARKS = Dialect

NEUTRAL = ["id", "name", "type", "question", "data", "pagination", "outputData", "answers", "training", "content"]
KEYS = st.sampled_from([*TODAY_TO_BEFORE, *NEUTRAL]) | st.text(max_size=4).filter(
    lambda key: key not in BEFORE_TO_TODAY
)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8) | st.sampled_from(sorted(BEFORE_TO_TODAY))
BODIES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)


@given(st.sampled_from(Dialect), BODIES)
def test_what_is_said_in_a_dialect_is_understood_as_it_was_meant(dialect: Dialect, body: Any) -> None:
    assert from_wire(dialect, to_wire(dialect, body)) == body


@given(BODIES)
def test_nothing_of_today_is_left_outside_of_peoples_own_keys_and_nothing_else_is_changed(body: Any) -> None:
    def names(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {"byGroup", "parsed", "schema"}
            return set(value) | {name for key, inner in value.items() if key not in own for name in names(inner)}
        return {name for inner in value for name in names(inner)} if isinstance(value, list) else set()

    def texts(value: Any) -> list[Any]:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return [value] if parts is None else [text for part in parts for text in texts(part)]

    wire = to_wire(SPARKS, body)
    assert not names(wire) & set(TODAY_TO_BEFORE)
    assert texts(wire) == texts(body)


@given(
    st.sampled_from(Dialect), st.recursive(LEAVES, lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner))
)
def test_whatever_an_upstream_sends_is_read(dialect: Dialect, body: Any) -> None:
    once = from_wire(dialect, body)

    assert from_wire(dialect, once) == once


@given(BODIES, st.sampled_from(sorted(BEFORE_TO_TODAY)))
def test_an_answer_without_a_mark_is_one_that_reading_would_not_change(body: Any, before: str) -> None:
    for answer in (body, {before: body}, {"data": [{before: 1}, body]}):
        raw = orjson.dumps(answer)
        assert any(mark in raw for mark in MARKS) or from_wire(CURRENT, orjson.loads(raw)) == answer


@pytest.mark.parametrize("dialect", Dialect)
def test_mirrors_and_old_names_are_read_in_both_dialects_and_todays_name_wins(dialect: Dialect) -> None:
    mirrored = {"outputData": {"audiences": [{"audience": "A", "group": "B"}], "groups": [{"group": "C"}]}}
    old = {"outputData": {"groups": [{"group": "A", "answers": [{"persona": "Mia", "value": "8"}]}]}}
    modes = {"data": {"flowMode": "panel", "studyMode": "study", "messages": []}}

    assert from_wire(dialect, mirrored) == {"outputData": {"audiences": [{"audience": "A"}]}}
    assert from_wire(dialect, old) == {
        "outputData": {"audiences": [{"audience": "A", "answers": [{"persona": "Mia", "value": "8"}]}]}
    }
    assert from_wire(dialect, modes) == {"data": {"studyMode": "study", "messages": []}}
    assert from_wire(dialect, {"data": {"flowMode": "panel"}}) == {"data": {"studyMode": "panel"}}


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    "event",
    [
        {"sparkId": "1", "sparkName": "Mia", "groupId": "2", "groupName": "Gen Z", "answer": "8"},
        {"mindId": "1", "mindName": "Mia", "audienceId": "2", "audienceName": "Gen Z", "answer": "8"},
        {"sparkId": "1", "persona": "Mia", "groupId": "2", "group": "Gen Z", "value": "8"},
        {"mindId": "1", "persona": "?", "mindName": "Mia", "audienceId": "2", "groupName": "Gen Z", "answer": "8"},
    ],
)
def test_an_answer_event_of_any_age_is_the_same_event(dialect: Dialect, event: dict[str, Any]) -> None:
    assert from_wire(dialect, {"type": "answer", **event}) == {
        "type": "answer",
        "mindId": "1",
        "mindName": "Mia",
        "audienceId": "2",
        "audienceName": "Gen Z",
        "answer": "8",
    }


@pytest.mark.parametrize("dialect", Dialect)
def test_metadata_that_is_text_is_read_as_what_it_says(dialect: Dialect) -> None:
    text = orjson.dumps({"outputData": {"groups": [{"group": "A", "value": '{"group": 1}'}]}}).decode()

    told = from_wire(dialect, {"data": {"messages": [{"id": "1", "content": '{"group": 1}', "metadata": text}]}})

    [message] = told["data"]["messages"]
    assert message["metadata"] == {"outputData": {"audiences": [{"audience": "A", "value": '{"group": 1}'}]}}
    assert message["content"] == '{"group": 1}'


@pytest.mark.parametrize("text", ["", "not json", "[1]", "7", "{"])
def test_metadata_that_says_nothing_is_left(text: str) -> None:
    assert from_wire(CURRENT, {"metadata": text}) == {"metadata": text}


def test_keys_that_people_wrote_keep_their_names() -> None:
    themes = {"themes": [{"label": "Price", "byAudience": {"minds": 3, "audience": 1}}], "parsed": {"mind": 1}}

    wire = to_wire(SPARKS, themes)

    assert wire == {"themes": [{"label": "Price", "byGroup": {"minds": 3, "audience": 1}}], "parsed": {"mind": 1}}
    assert from_wire(CURRENT, {"byGroup": {"sparks": 3}}) == {"byAudience": {"sparks": 3}}


@pytest.mark.parametrize(
    ("processing", "training"),
    [
        ({"queued": True}, {"queued": True, "status": "queued"}),
        ({"queued": True, "status": "running"}, {"queued": True, "status": "running"}),
        ({"queued": False}, {"queued": False}),
    ],
)
def test_a_creation_that_was_queued_then_is_a_queued_training_now(
    processing: dict[str, Any], training: dict[str, Any]
) -> None:
    assert from_wire(SPARKS, {"data": {"id": "1"}, "processing": processing}) == {
        "data": {"id": "1"},
        "training": training,
    }


@pytest.mark.parametrize("dialect", Dialect)
def test_the_state_of_a_source_has_one_name_in_both_dialects(dialect: Dialect) -> None:
    body = {"success": True, "data": {"items": [{"processing": {"status": "queued"}}]}}

    assert from_wire(dialect, body) == body
    assert to_wire(dialect, body) == body


def test_what_is_too_deep_to_be_an_answer_is_left_alone() -> None:
    deep: Any = "bottom"
    for _ in range(900):
        deep = {"groups": deep}

    assert "audiences" in from_wire(CURRENT, deep)


def test_only_the_first_word_of_a_path_is_translated() -> None:
    assert path(SPARKS, ("studies", "minds", "messages", "studies", "answers")) == (
        "panels",
        "minds",
        "messages",
        "studies",
        "answers",
    )
    assert path(SPARKS, ("auth", "me")) == ("auth", "me")
    assert path(CURRENT, ("studies", "1", "ask")) == ("studies", "1", "ask")
    assert {path(SPARKS, (name,)) for name in COLLECTIONS} == {("sparks",), ("groups",), ("panels",)}
