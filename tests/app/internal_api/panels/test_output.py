"""The result of a question in the words of the contract, and a study read as a conversation."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.models.outputs import AudienceOutput, StudyMessage
from app.internal_api.panels import output as output_module
from app.internal_api.panels.output import (
    Transcript,
    classification,
    persona_answer,
    question_messages,
    sentence,
    study_output,
)
from app.internal_api.store.questions import Answer, Question
from tests.app.internal_api.panels.rows import another, answer, answers, both_groups, pending, question


def only_group(kind: str, given_answers: list[Answer]) -> AudienceOutput:
    (group,) = study_output(question(kind), given_answers).audiences
    return group


def counts(group: AudienceOutput) -> dict[str, int]:
    return {share.value: share.count for share in group.distribution}


def test_a_scale_has_its_mean_unrounded_and_every_point() -> None:
    group = only_group("scale", answers("4", "4", "5", "2", None))

    assert (group.value, group.n, group.failed) == ("3.75", 4, 1)
    assert counts(group) == {"1": 0, "2": 1, "3": 0, "4": 2, "5": 1}
    assert [share.share for share in group.distribution] == [0, 0.25, 0, 0.5, 0.25]
    assert group.stats is not None
    assert (group.stats.mean, group.stats.median, group.stats.min, group.stats.max) == (3.75, 4, 2, 5)


def test_how_many_options_may_be_chosen_is_told_where_that_is_limited() -> None:
    limited = replace(question("multiselect"), most=2)

    told = [classification(one).model_dump(by_alias=True) for one in (limited, question("multiselect"))]

    assert [one.get("most") for one in told] == [2, None]
    assert "most" not in told[1]


def test_who_chose_none_of_the_options_is_one_of_those_who_answered() -> None:
    group = only_group("multiselect", answers("Red; Blue", "None", "Blue", ""))

    assert (group.value, group.n, group.failed) == ("Blue; Red", 3, 0)
    assert [(share.value, share.count) for share in group.distribution] == [("Red", 1), ("Green", 0), ("Blue", 2)]
    assert only_group("multiselect", answers("None")).value == "None of the options"


def test_words_without_a_label_are_an_answer() -> None:
    output = study_output(question(), both_groups(["Price", ""], [""]))

    assert [(group.value, group.n, group.failed) for group in output.audiences] == [
        ("Price", 2, 0),
        ("No theme named", 1, 0),
    ]
    assert [(category.label, category.count) for category in output.category_codebook] == [("Price", 1)]
    assert output.audiences[1].answers[0].message == "It costs too much."


def test_labels_are_merged_across_all_groups() -> None:
    output = study_output(question(), both_groups(["Price", "Speed"], ["price", "price; PRICE"]))

    assert [(each.label, each.original_labels, each.count) for each in output.category_codebook] == [
        ("price", ["price", "Price", "PRICE"], 3),
        ("Speed", ["Speed"], 1),
    ]
    assert [(group.audience, group.value, counts(group)) for group in output.audiences] == [
        ("Gen Z", "price; Speed", {"price": 1, "Speed": 1}),
        ("Parents", "price", {"price": 2}),
    ]


def test_a_failure_is_shown_with_its_reason_and_without_an_answer() -> None:
    failed = persona_answer(answer(None, status="timeout", error_code=None))

    assert (failed.status, failed.error_code, failed.value, failed.message) == ("timeout", "TIMEOUT", "", "")
    assert (failed.sentiment, failed.answer_provenance) == (None, {})


def test_who_has_not_answered_yet_is_not_listed_but_the_group_is() -> None:
    output = study_output(question(), [*answers("Price"), pending(1), pending(2, "Parents")])

    assert [(group.audience, len(group.answers), group.n, group.failed) for group in output.audiences] == [
        ("Gen Z", 1, 1, 0),
        ("Parents", 0, 0, 0),
    ]
    assert output.audiences[1].value == ""


def test_what_an_answer_stands_on_is_told_in_the_words_of_the_contract() -> None:
    citation = {
        "id": "c1",
        "title": "Tea",
        "source": None,
        "link": "https://tea.example/a",
        "page": None,
        "snippet": "Tea.",
    }

    told = persona_answer(answer(citations=[citation], origin="mind_knowledge", chunks_found=3))

    assert told.citation_sources == [
        {
            "id": "c1",
            "displaySource": "tea.example",
            "rawLink": "https://tea.example/a",
            "title": "Tea",
            "snippet": "Tea.",
            "sourceType": "mind_knowledge",
        }
    ]
    assert told.answer_provenance == {
        "origin": "mind_knowledge",
        "unsupported": False,
        "retrievalChunksFound": 3,
        "recordedAt": "2023-11-14T22:13:21.000Z",
    }


VALUES = st.lists(
    st.one_of(st.none(), st.sampled_from(["1", "3", "5", "9", "Red", "Blue; Red", "Price; speed", "None", "", ";"]))
)


@given(st.sampled_from(["scale", "categorical", "multiselect", "qualitative"]), VALUES, VALUES)
def test_every_persona_is_shown_once_and_counted_at_most_once(
    kind: str, ours: list[str | None], theirs: list[str | None]
) -> None:
    output = study_output(question(kind), both_groups(ours, theirs))

    assert sum(len(group.answers) for group in output.audiences) == len(ours) + len(theirs)
    for group in output.audiences:
        assert group.n + group.failed <= len(group.answers)
        assert all(share.count <= group.n for share in group.distribution)
        assert (group.value == "") == (group.n == 0)
        assert kind in {"multiselect", "qualitative"} or sum(share.count for share in group.distribution) == group.n


def told(asked: Question, given_answers: list[Answer]) -> list[dict[str, Any]]:
    return [message.model_dump(mode="json", by_alias=True) for message in question_messages(asked, given_answers)]


def messages(asked: list[Question], given_answers: Mapping[str, list[Answer]]) -> list[StudyMessage]:
    made = Transcript()
    for each in reversed(asked):
        made.add(each, given_answers.get(each.id, []))
    return made.messages


def test_a_completed_question_is_answered_by_a_message_that_holds_the_result() -> None:
    asked = question("scale", text="How likely?", client_request_id="r")

    first, second = told(asked, [*answers("4", "5", None)])

    assert (first["id"], first["role"], first["content"]) == (asked.question_message_id, "user", "How likely?")
    assert (second["id"], second["role"]) == (asked.answer_message_id, "assistant")
    assert second["content"] == "Gen Z: 4.5 (n = 2, 1 failed)."
    assert second["createdAt"] == "2023-11-14T22:13:25.000Z"
    assert second["metadata"]["outputData"]["audiences"][0]["value"] == "4.5"
    assert second["metadata"]["questionBlockId"] == first["metadata"]["questionBlockId"] == asked.id


@pytest.mark.parametrize("status", ["queued", "running", "failed"])
def test_a_question_that_is_not_completed_shows_how_far_it_is_and_no_result(status: str) -> None:
    (only,) = told(question(status=status), [*answers("Price", None), pending(2), answer(position=3, status="timeout")])

    assert only["metadata"] == {
        "questionBlockId": str(UUID(int=2)),
        "clientRequestId": None,
        "audienceIds": [str(UUID(int=30))],
        "status": status,
        "classification": {"type": "qualitative"},
        "total": 4,
        "answered": 1,
        "failed": 2,
    }


def test_the_sentence_names_every_group_and_hides_no_failure() -> None:
    output = study_output(question("categorical"), both_groups(["Red", "Blue", None], [None]))

    assert sentence(output) == "Gen Z: Red / Blue (n = 2, 1 failed); Parents: no usable answer (n = 0, 1 failed)."
    assert sentence(study_output(question(), [])) == "Nobody was asked."


def test_a_long_study_tells_its_latest_answers_and_what_the_older_ones_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_module, "MOST_ANSWERS", 5)
    asked = [another(number) for number in range(3)]

    found = messages(asked, {one.id: answers("Price", "Price") for one in asked})

    outputs = [message.metadata.output_data for message in found if message.metadata.output_data]
    assert [len(output.audiences[0].answers) for output in outputs] == [0, 2, 2]
    assert {(output.audiences[0].n, output.audiences[0].value) for output in outputs} == {(2, "Price")}
    monkeypatch.setattr(output_module, "MOST_ANSWERS", 1)
    _, newest = messages(asked[:1], {asked[0].id: answers("Price", "Price")})
    assert newest.metadata.output_data
    assert len(newest.metadata.output_data.audiences[0].answers) == 2
