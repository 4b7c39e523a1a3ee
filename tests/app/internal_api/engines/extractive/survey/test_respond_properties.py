"""Whatever is asked and whatever is known: a value of the question's type, with a readable reason, alike each time."""

from hypothesis import given, settings

from app.internal_api.engines.engine import Persona, SurveyAnswer, SurveyQuestion
from app.internal_api.engines.extractive.survey.respond import respond
from app.internal_api.engines.extractive.survey.themes import MOST_LABELS
from app.internal_api.knowledge.documents import Passage
from app.internal_api.panels.values import chosen
from tests.app.internal_api.engines.extractive.survey import asked

SOUND = settings(max_examples=60, deadline=None)


def answered(persona: Persona, question: SurveyQuestion, passages: list[Passage]) -> SurveyAnswer:
    """The answer, after what holds for every answer was looked at."""
    answer = respond("offline", persona, question, passages)

    assert answer == respond("offline", persona, question, passages)
    assert answer.message.strip()
    assert "[[" not in answer.message
    assert -1 <= answer.sentiment <= 1
    assert all(cited in passages for cited in answer.citations)
    assert (answer.origin == "mind_knowledge") == bool(answer.citations)
    assert answer.chunks_found == len(passages)
    return answer


@SOUND
@given(asked.PERSONAS, asked.SCALE_QUESTIONS, asked.PASSAGES)
def test_a_point_lies_on_the_scale(persona: Persona, question: SurveyQuestion, passages: list[Passage]) -> None:
    value = answered(persona, question, passages).value

    assert question.scale is not None
    assert value == str(int(value))
    assert question.scale[0] <= int(value) <= question.scale[1]


@SOUND
@given(asked.PERSONAS, asked.CHOICES, asked.PASSAGES)
def test_a_choice_is_an_option_word_for_word(
    persona: Persona, question: SurveyQuestion, passages: list[Passage]
) -> None:
    assert answered(persona, question, passages).value in question.options


@SOUND
@given(asked.PERSONAS, asked.SEVERAL, asked.PASSAGES)
def test_several_choices_read_back_as_options_in_their_order(
    persona: Persona, question: SurveyQuestion, passages: list[Passage]
) -> None:
    value = answered(persona, question, passages).value
    read = chosen(value, question.options)

    assert "; ".join(read) == value
    assert 1 <= len(read) <= min(question.most or len(question.options), len(question.options))


@SOUND
@given(asked.PERSONAS, asked.OPEN_QUESTIONS, asked.PASSAGES)
def test_an_open_answer_has_one_to_three_short_labels(
    persona: Persona, question: SurveyQuestion, passages: list[Passage]
) -> None:
    labels = answered(persona, question, passages).value.split("; ")

    assert 1 <= len(labels) <= MOST_LABELS
    assert all(label.strip() and len(label) <= 60 for label in labels)
    assert len(set(labels)) == len(labels)
