"""The two vocabularies say the same, there and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.dialect import TODAY_TO_BEFORE, Dialect, rename, spoken, to_wire

NAMES = st.sampled_from([*TODAY_TO_BEFORE, "name", "trainingStatus", "data"])
BODIES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


@given(BODIES)
def test_renaming_there_and_back_changes_nothing(body: Any) -> None:
    back = {before: today for today, before in TODAY_TO_BEFORE.items()}

    assert rename(rename(body, TODAY_TO_BEFORE), back) == body


@given(BODIES)
def test_todays_dialect_is_what_the_handlers_speak(body: Any) -> None:
    assert to_wire(Dialect.MINDS, body) == body


def test_only_names_are_renamed_and_never_what_they_hold() -> None:
    assert to_wire(Dialect.SPARKS, {"mindId": "mindId", "content": ["minds"]}) == {
        "sparkId": "mindId",
        "content": ["minds"],
    }


@pytest.mark.parametrize(
    ("status", "queued"), [("queued", True), ("running", True), ("completed", False), ("failed", False)]
)
def test_a_training_says_in_the_old_words_whether_it_is_queued(status: str, queued: bool) -> None:
    before = to_wire(Dialect.SPARKS, {"training": {"status": status}})

    assert before == {"processing": {"queued": queued, "status": status}}


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/api/v1/minds", Dialect.MINDS),
        ("/api/v1/sparks", Dialect.SPARKS),
        ("/api/v1/sparks/1/training", Dialect.SPARKS),
        ("/api/v1/sparksome", Dialect.MINDS),
        ("/api/v1/auth/me", Dialect.MINDS),
    ],
)
def test_the_path_tells_the_dialect(path: str, dialect: Dialect) -> None:
    assert spoken(path) is dialect


def test_a_path_is_said_in_either_dialect() -> None:
    path = "/minds/{mindId}/knowledge/{itemId}/status"

    assert Dialect.MINDS.path(path) == path
    assert Dialect.SPARKS.path(path) == "/sparks/{sparkId}/knowledge/{itemId}/status"
