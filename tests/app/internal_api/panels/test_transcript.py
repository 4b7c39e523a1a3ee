"""A study reads as a conversation that shows how far each question is."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest

from app.internal_api.models.outputs import StudyMessage
from app.internal_api.panels import output as output_module
from app.internal_api.panels.output import Transcript, question_messages, sentence, study_output
from app.internal_api.store.questions import Answer, Question
from tests.app.internal_api.panels.rows import another, answer, answers, both_groups, pending, question


def told(asked: Question, given_answers: list[Answer]) -> list[dict[str, Any]]:
    return [message.model_dump(mode="json", by_alias=True) for message in question_messages(asked, given_answers)]


def messages(asked: list[Question], given_answers: Mapping[str, list[Answer]]) -> list[StudyMessage]:
    made = Transcript()
    for each in reversed(asked):
        made.add(each, given_answers.get(each.id, []))
    return made.messages()


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


def test_a_long_study_tells_its_latest_answers_and_what_the_older_ones_come_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
