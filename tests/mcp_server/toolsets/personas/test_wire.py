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
    for read in (wire.detail, wire.made):
        try:
            read(body)
        except ServiceUnavailable:
            continue
    wire.knowledge_states(body)


@given(st.dictionaries(st.sampled_from(["name", "discipline", "type", "tags", "createdAt", "description"]), anything))
def test_a_persona_with_odd_fields_is_still_a_persona_or_left_out(odd: dict[str, Any]) -> None:
    row = wire.read_row({**summary("Ada"), **odd})

    assert row is None or row.id == id_of("Ada")


@pytest.mark.parametrize("data", [{}, {"id": "1"}, {"name": "Ada"}, {"id": 1, "name": "Ada"}, {"id": "", "name": "A"}])
def test_a_persona_without_id_or_name_is_refused(data: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        wire.detail({"data": data})


ODD_TERMS = [(odd, None) for odd in (None, "x", {}, {"token": 7})]


@pytest.mark.parametrize(("demo", "token"), [({"token": "very-secret"}, "very-secret"), *ODD_TERMS])
def test_a_demo_token_is_kept_where_nothing_prints_it(demo: Any, token: str | None) -> None:
    made = wire.made({"data": {**summary("Ada"), "demo": demo}})

    assert (made.demo_token.get_secret_value() if made.demo_token else None) == token
    assert "very-secret" not in repr(made)


def test_an_item_without_a_state_counts_as_done() -> None:
    body = {"data": {"items": [{"id": "1"}, {"processing": {"status": "queued"}}, {"processing": None}, 7]}}

    assert wire.knowledge_states(body) == ["completed", "queued", "completed", "completed"]


@pytest.mark.parametrize(
    ("told", "training"),
    [
        ({"trainingStatus": "running", "readyToChat": False}, {"status": "running", "readyToChat": False}),
        ({"systemPrompt": "You ride."}, {"status": "completed", "readyToChat": True}),
        ({"systemPrompt": ""}, {"status": "running", "readyToChat": False}),
        ({}, {}),
    ],
)
def test_a_persona_tells_its_training_too(told: dict[str, Any], training: dict[str, Any]) -> None:
    assert wire.training_of({"data": {**summary("Ada"), **told}}) == training
