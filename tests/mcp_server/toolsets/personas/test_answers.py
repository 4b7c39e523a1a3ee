"""Answers are read with suspicion: what is promised is insisted on, the rest is taken or left."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcp_server.toolsets.personas._wire as wire
from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.personas._answers import ENGINES, footnoted, read_reply
from mcp_server.toolsets.personas._editing import knowledge_rows
from mcp_server.toolsets.personas.models import PersonaRow
from tests.mcp_server.toolsets.personas.world import id_of, summary

ADA = PersonaRow(id="1", name="Ada", discipline=None, type=None, description=None, created_at=None, tags=[])
SOURCES = [{"displaySource": name} for name in "abc"]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("content", "message", "titles"),
    [
        ("One [[CITE:0]].", "One [1].", ["a"]),
        ("One [[CITE:2]] two [[CITE:0]] three [[CITE:2]]", "One [1] two [2] three [1]", ["c", "a"]),
        ("Both[[CITE:0]] [[CITE:1]].", "Both [1][2].", ["a", "b"]),
        ("Twice [[CITE:1]][[CITE:1]].", "Twice [1].", ["b"]),
        ("[[CITE:1]] begins", "[1] begins", ["b"]),
        ("A line\n[[CITE:1]] begins", "A line\n[1] begins", ["b"]),
        ("Nowhere [[CITE:3]], [[CITE:-1]], [[CITE:x]].", "Nowhere,,.", []),
        ("Huge [[CITE:99999999999999999999]]!", "Huge!", []),
        ("An array a[0] [x] stays [[CITE:0]].", "An array a[0] [x] stays [1].", ["a"]),
        ("No markers at all.", "No markers at all.", ["a", "b", "c"]),
    ],
)
def test_markers_become_footnotes_in_order_of_appearance(content: str, message: str, titles: list[str]) -> None:
    shown, citations = footnoted(content, SOURCES)

    assert shown == message
    assert [citation.title for citation in citations] == titles
    assert [citation.index for citation in citations] == list(range(1, len(titles) + 1))


@given(st.lists(st.integers(min_value=-2, max_value=6) | st.text(max_size=5), max_size=12))
def test_no_marker_is_left_and_each_footnote_has_its_source(wanted: list[int | str]) -> None:
    content = "".join(f"word [[CITE:{str(n).replace('[', '').replace(']', '')}]]" for n in wanted)

    shown, citations = footnoted(content, SOURCES)

    assert "[[CITE" not in shown
    if wanted:
        assert {int(note) for note in re.findall(r"\[(\d+)\]", shown)} == {c.index for c in citations}


@given(anything)
def test_no_metadata_breaks_an_answer(metadata: Any) -> None:
    reply = read_reply({"content": "Hello [[CITE:0]]", "metadata": metadata}, ADA)

    assert reply.message in {"Hello", "Hello [1]"}
    assert reply.as_text().startswith("Ada [id 1] says:\n\n> Hello")


@given(st.lists(anything, max_size=5))
def test_no_source_breaks_an_answer(sources: list[Any]) -> None:
    reply = read_reply({"content": "Hello", "metadata": {"ragCitations": sources}}, ADA)

    assert len(reply.citations) == len(sources)


@pytest.mark.parametrize("body", [None, [], "text", {}, {"content": None}, {"content": ""}, {"content": 3}])
def test_an_answer_without_a_message_is_the_internal_apis_fault(body: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        read_reply(body, ADA)


@pytest.mark.parametrize(
    ("metadata", "explanation"),
    [
        ({"engine": "offline"}, ENGINES["offline"]),
        ({"engine": "meta/llama-4"}, "It was written by the engine meta/llama-4."),
        ({"answerProvenance": {"origin": "cited_sources"}}, "It stands on the sources cited."),
        ({"answerProvenance": {"origin": "unsupported"}}, "Nothing in the persona's knowledge supports this answer."),
        (
            {"answerProvenance": {"origin": "mind_knowledge", "unsupported": True}},
            "Nothing in the persona's knowledge supports this answer.",
        ),
        ({"answerProvenance": {"origin": "new thing!"}}, "The internal API does not say what it stands on."),
    ],
)
def test_what_an_answer_stands_on_is_said_honestly(metadata: dict[str, Any], explanation: str) -> None:
    provenance = read_reply({"content": "Hello", "metadata": metadata}, ADA).provenance

    assert provenance is not None
    assert provenance.explanation == explanation


def test_a_page_of_blanks_is_read_in_no_time() -> None:
    shown, _ = footnoted("a" + " " * 200_000 + "[[CITE:0]]", SOURCES)

    assert shown.endswith("[1]")


@given(anything)
def test_no_body_breaks_a_reader(body: Any) -> None:
    for read in (wire.detail, wire.made):
        try:
            read(body)
        except ServiceUnavailable:
            continue
    knowledge_rows(body)


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
    states: list[dict[str, Any]] = [
        {},
        {"processing": {"status": "queued"}},
        {"processing": None},
        {"processing": {"status": "odd"}},
    ]
    body = {"data": {"items": [*({"id": str(number), **state} for number, state in enumerate(states)), 7]}}

    assert [row.status for row in knowledge_rows(body) or ()] == ["completed", "queued", "completed", "running"]


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
