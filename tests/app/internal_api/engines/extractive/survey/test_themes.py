"""The labels of an open answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.internal_api.engines.engine import SurveyQuestion
from app.internal_api.engines.extractive.stopwords import FUNCTION
from app.internal_api.engines.extractive.survey.material import read_material
from app.internal_api.engines.extractive.survey.themes import MOST_LABELS, labels
from tests.app.internal_api.engines.extractive.survey import asked
from tests.app.internal_api.engines.people import ADA, passage


def labelled(question: str, text: str, name: str = "Ada Lovelace") -> list[str]:
    material = read_material(ADA, SurveyQuestion(question, "qualitative"), [passage(text)])
    return labels(material.statements, material, name)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What frustrates you most?", "The lock sticks and is terrible when it rains.", ["Lock"]),
        ("What frustrates you most?", "I stand there with a dead motor, which is annoying.", ["Dead motor"]),
        ("What do you think of the app?", "The app is beautiful but useless.", ["Useless app"]),
        ("What do you think of the app?", "The app is confusing.", ["Confusing app"]),
        ("What do you like best?", "The discount for students is excellent.", ["Discount", "Students"]),
        ("Was stört Sie am meisten?", "Leider klemmt das Schloss.", ["Schloss"]),
        ("¿Qué le molesta más?", "El candado es terrible.", ["Candado"]),
        ("Qu'est-ce qui vous dérange le plus ?", "Malheureusement, le cadenas bloque.", ["Cadenas"]),
    ],
)
def test_a_label_is_the_thing_that_the_answer_speaks_of(question: str, text: str, expected: list[str]) -> None:
    assert labelled(question, text) == expected


def test_the_part_on_the_side_that_is_asked_for_gives_the_first_label() -> None:
    text = "The brakes are excellent, but the saddle is terrible and uncomfortable."

    assert labelled("What frustrates you most?", text)[0] == "Saddle"


def test_the_subject_stands_for_an_answer_that_names_nothing_else() -> None:
    assert labelled("What do you think of the bicycles?", "I love these bicycles.") == ["Bicycles"]


def test_the_personas_own_name_is_no_label() -> None:
    assert "Lovelace" not in labelled("What frustrates you?", "The terrible Lovelace engine and the bad Lovelace.")


def test_without_a_statement_there_is_no_label() -> None:
    assert labelled("What do you think of the app?", "Cats purr.") == []


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300) | asked.TEXTS, asked.WORDINGS)
def test_labels_are_few_short_and_carry_meaning(text: str, question: str) -> None:
    found = labelled(question, text)

    assert len(found) <= MOST_LABELS
    assert len(set(found)) == len(found)
    assert all(label.strip() == label and ";" not in label and len(label.split()) <= 2 for label in found)
    assert all(not FUNCTION["en"].issuperset(label.lower().split()) for label in found)
