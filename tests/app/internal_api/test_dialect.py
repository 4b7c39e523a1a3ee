"""The two vocabularies say the same, there and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.dialect import (
    ASKED,
    TODAY_TO_BEFORE,
    Dialect,
    RetiredName,
    from_wire,
    mirrored,
    rename,
    spoken,
    to_wire,
)
from app.internal_api.models.wire import Answered

NAMES = st.sampled_from([*TODAY_TO_BEFORE, "name", "trainingStatus", "data"])
BODIES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)
REQUESTS = st.dictionaries(st.sampled_from([*ASKED, "name", "metadata", "minds"]), BODIES, max_size=4)
WORDS = [*ASKED.items()]


class Voice(Answered):
    """A part of an answer."""

    mind_id: str
    audience_name: str | None = None


class Panel(Answered):
    """An answer with other people's words as keys."""

    audiences: list[Voice]
    by_name: dict[str, Voice | int]
    parsed: dict[str, Any]
    mind: Voice | None = None


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


def test_the_fields_of_a_model_are_renamed_and_the_keys_of_its_maps_are_not() -> None:
    voice = Voice(mind_id="mindId", audience_name="audiences")
    body = Panel(audiences=[voice], by_name={"audience": voice, "mind": 2}, parsed={"minds": [{"audienceId": 1}]})

    before = {"sparkId": "mindId", "groupName": "audiences"}
    assert to_wire(Dialect.SPARKS, body) == {
        "groups": [before],
        "byName": {"audience": before, "mind": 2},
        "parsed": {"minds": [{"audienceId": 1}]},
        "spark": None,
    }
    assert to_wire(Dialect.MINDS, body) == body.model_dump(mode="json", by_alias=True)


@pytest.mark.parametrize("names", [("audiences", "audience"), ("groups", "group")])
def test_a_result_has_its_groups_under_both_names(names: tuple[str, str]) -> None:
    many, one = names

    told = mirrored({"title": "Tea?", many: [{one: "Old", "n": 2}]})

    both = [{"audience": "Old", "group": "Old", "n": 2}]
    assert told == {"title": "Tea?", "audiences": both, "groups": both}


@given(REQUESTS)
def test_a_request_is_the_same_in_either_dialect(body: dict[str, Any]) -> None:
    body = {**body, "audienceConfigs": [{"name": "audienceIds", "mindIds": ["mindId"]}, 1]}

    before = {
        **{ASKED.get(key, key): value for key, value in body.items()},
        "groupConfigs": [{"name": "audienceIds", "sparkIds": ["mindId"]}, 1],
    }

    assert from_wire(Dialect.MINDS, body) == body
    assert from_wire(Dialect.SPARKS, before) == body


@pytest.mark.parametrize(
    ("dialect", "name", "replacement"),
    [(Dialect.MINDS, before, today) for today, before in WORDS]
    + [(Dialect.SPARKS, today, before) for today, before in WORDS],
)
def test_a_name_of_the_other_dialect_is_refused_with_its_replacement(
    dialect: Dialect, name: str, replacement: str
) -> None:
    configs = dialect.word("audienceConfigs")
    bodies: list[dict[str, Any]] = [{name: []}, {configs: [{name: []}]}]

    for body in bodies:
        with pytest.raises(RetiredName) as refused:
            from_wire(dialect, body)
        assert str(refused.value).endswith(f"use {replacement}")


def test_what_is_not_the_contracts_in_a_request_is_left_alone() -> None:
    body = {"metadata": {"sparkIds": [{"mindIds": 1}]}, "name": "groupIds", "groupConfigs": "no list"}

    assert from_wire(Dialect.SPARKS, body) == {
        "metadata": {"sparkIds": [{"mindIds": 1}]},
        "name": "groupIds",
        "audienceConfigs": "no list",
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
        ("/api/v1/groups/1/members", Dialect.SPARKS),
        ("/api/v1/panels", Dialect.SPARKS),
        ("/api/v1/studies/1", Dialect.MINDS),
        ("/api/v1/minds/sparks", Dialect.MINDS),
        ("/api/v1/panels/studies", Dialect.SPARKS),
    ],
)
def test_the_path_tells_the_dialect(path: str, dialect: Dialect) -> None:
    assert spoken(path) is dialect


def test_a_path_is_said_in_either_dialect() -> None:
    path = "/minds/{mindId}/knowledge/{itemId}/status"
    member = "/audiences/{audienceId}/members/{mindId}"

    assert Dialect.MINDS.path(path) == path
    assert Dialect.SPARKS.path(path) == "/sparks/{sparkId}/knowledge/{itemId}/status"
    assert Dialect.SPARKS.path(member) == "/groups/{groupId}/members/{sparkId}"
    assert Dialect.SPARKS.path("/studies/{studyId}/ask") == "/panels/{panelId}/ask"
    assert [dialect.word("audienceIds") for dialect in Dialect] == ["audienceIds", "groupIds"]
