"""From a question to what is quoted."""

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.choosing import choose
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.selection import Cover, Selection
from tests.app.internal_api.engines.people import passage

PUMP = "The pump makes nine bar of pressure. It is quiet. The pump was invented in Turin."


def chosen(*said: str) -> Selection:
    turns = [Turn("user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(said)]
    return choose(read_question(turns, "Ada", None), [passage(PUMP)])


def test_what_answers_is_quoted() -> None:
    assert [unit.text for unit in chosen("How much pressure does the pump make?").units] == [
        "The pump makes nine bar of pressure."
    ]


def test_a_question_without_a_subject_gets_the_beginning() -> None:
    vague = chosen("Tell me something.")

    assert vague.general
    assert vague.units[0].text == "The pump makes nine bar of pressure."


def test_what_was_already_said_is_no_more_of_it() -> None:
    more = chosen("What about the pump?", "The pump makes nine bar of pressure.", "Tell me more")

    assert "The pump makes nine bar of pressure." not in [unit.text for unit in more.units]
    assert more.units


def test_nothing_is_quoted_of_another_subject() -> None:
    assert chosen("Who won the election?").cover is Cover.NONE
