"""A message read as a question."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.questions import LONGEST, WEAK_WEIGHT, Question, read_question, search_text


def read(*messages: str, language: str | None = None) -> Question:
    roles = ["user", "assistant"] * len(messages)
    return read_question([Turn(role, text) for role, text in zip(roles, messages, strict=False)], "Ada", language)


def test_words_of_asking_weigh_less_than_words_of_the_subject() -> None:
    assert read("What is the best grinder, Ada?").terms == {"good": WEAK_WEIGHT, "grind": 1.0}


def test_the_name_of_the_persona_is_a_subject_unless_it_is_only_spoken_to() -> None:
    assert read("When did Ada die?").terms.keys() == {"ada", "die"}
    assert read("Ada, when did Zuse die?").terms.keys() == {"zus", "die"}
    assert read("Hi Ada! When did Zuse die?").terms.keys() == {"zus", "die"}


def test_a_question_that_leans_on_the_one_before_takes_its_words() -> None:
    question = read("How hot is the water?", "It has 93 degrees.", "And why?")

    assert question.follows_up
    assert "water" in question.terms
    assert question.ask is Ask.WHY
    assert question.said == "It has 93 degrees."


def test_a_short_remark_goes_back_to_the_last_subject() -> None:
    question = read("How hot is the water?", "93 degrees.", "And why?", "Because.", "Tell me more")

    assert question.wants_more
    assert "water" in question.terms


def test_a_new_subject_stands_for_itself() -> None:
    question = read("How hot is the water?", "93 degrees.", "Who invented the espresso machine?")

    assert not question.follows_up
    assert question.said == ""
    assert "water" not in question.terms


def test_the_language_is_that_of_the_message_and_the_answer_may_have_another() -> None:
    question = read("How hot is the water?", language="de-AT")

    assert (question.language, question.answer_in) == ("en", "de")
    assert question.key == {"hot", "water"}


def test_an_unclear_message_keeps_the_language_of_the_conversation() -> None:
    assert read("Was kostet die Karte?", "20 Euro.", "Espresso?").language == "de"


def test_names_are_the_capitals_inside_a_question() -> None:
    assert read("How is the weather in Paris?").names == {"paris"}
    assert read("Wie ist das Wetter in Paris?").names == frozenset()


def test_the_search_is_for_the_last_message_with_what_it_leans_on() -> None:
    turns = [Turn("user", "How hot is the water?"), Turn("assistant", "93 degrees."), Turn("user", "And why?")]

    assert search_text(turns) == "How hot is the water? And why?"
    assert search_text(turns[:1]) == "How hot is the water?"
    assert search_text([]) == ""


@given(st.lists(st.builds(Turn, st.sampled_from(["user", "assistant", "tool", "system"]), st.text()), max_size=5))
def test_any_conversation_is_read(turns: list[Turn]) -> None:
    question = read_question(turns, "Ada", None)

    assert question.key <= question.terms.keys()
    assert all(0 < weight <= 1 for weight in question.terms.values())


def test_a_very_long_message_is_read_to_a_bound() -> None:
    question = read("word" * 50_000 + " " + "other " * 50_000)

    assert len(question.text) <= LONGEST
    assert len(question.terms) <= 40
