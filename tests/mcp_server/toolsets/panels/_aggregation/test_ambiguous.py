"""Where a question can be read in two ways, it is told how it was read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.ambiguous import reading_caveats
from mcp_server.toolsets.panels._study import AskedQuestion, QuestionType


def notes(text: str, kind: QuestionType = "categorical", *options: str) -> list[str]:
    found = reading_caveats(AskedQuestion("q", text, kind, options=options))
    assert all(caveat.code == "note" for caveat in found)
    return [caveat.message for caveat in found]


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Do you own a car or a motorbike?", ("Yes", "No")),
        ("Have you been to Spain or Italy?", ("Yes", "No")),
        ("Haben Sie Kinder oder Haustiere?", ("Ja", "Nein")),
        ("¿Tiene hijos o mascotas?", ("Sí", "No")),
        ("Avez-vous un chien ou un chat ?", ("Oui", "Non")),
    ],
)
def test_examples_that_could_be_alternatives_are_told(text: str, answers: tuple[str, str]) -> None:
    (note,) = notes(text, "categorical", *answers)

    assert "yes or no" in note
    assert "options" in note
    assert "questionType" in note


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Do you drink tea or coffee?", ("Tea", "Coffee")),
        ("Nutzen Sie iOS oder Android?", ("iOS", "Android")),
        ("¿Usa iOS o Android?", ("iOS", "Android")),
        ("Utilisez-vous iOS ou Android ?", ("iOS", "Android")),
    ],
)
def test_alternatives_that_could_be_examples_are_told(text: str, options: tuple[str, str]) -> None:
    (note,) = notes(text, "categorical", *options)

    assert all(f'"{option}"' in note for option in options)


@pytest.mark.parametrize(
    "text",
    ["Why do you exercise? Health, fun, looks or company?", "What should we improve: clarity, speed or tone?"],
)
def test_answers_listed_beside_an_open_question_are_told(text: str) -> None:
    (note,) = notes(text, "qualitative")

    assert "options" in note


@pytest.mark.parametrize(
    ("text", "kind", "options"),
    [
        ("Would you buy it?", "categorical", ("Yes", "No")),
        ("Would you buy it or not?", "categorical", ("Yes", "No")),
        ("Is it worth $20, yes or no?", "categorical", ("Yes", "No")),
        ("Would you recommend us to a friend or colleague?", "categorical", ("Yes", "No")),
        ("Would you pay 5 or more?", "categorical", ("Yes", "No")),
        ("Do you prefer tea or coffee?", "categorical", ("Tea", "Coffee")),
        ("Is it hot or cold?", "categorical", ("Hot", "Cold")),
        ("Which is better: tea or coffee?", "categorical", ("Tea", "Coffee")),
        ("Do you drink tea or coffee?", "categorical", ("Daily", "Never")),
        ("Do you drink tea or coffee?", "scale", ()),
        ("Would you click it (now or later)?", "categorical", ("Yes", "No")),
        ("What should we improve?", "qualitative", ()),
        ("What would you change, and why?", "qualitative", ()),
    ],
)
def test_nothing_is_told_where_one_reading_is_left(text: str, kind: QuestionType, options: tuple[str, ...]) -> None:
    assert notes(text, kind, *options) == []


@given(st.text(max_size=300), st.sampled_from(["categorical", "qualitative"]))
def test_any_text_can_be_read(text: str, kind: QuestionType) -> None:
    assert len(notes(text, kind, "Yes", "No")) <= 1
