"""What a survey question is after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.survey.aims import Aim, Inquiry, asks, asks_for_bad, read_inquiry


def inquiry(text: str, options: tuple[str, ...] = (), *, sided: bool = False) -> Inquiry:
    return read_inquiry(read_question([Turn("user", text)], "Ada", None), options, sided=sided)


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("What frustrates you most about onboarding?", Aim.DISLIKE),
        ("What do you like least about the app?", Aim.DISLIKE),
        ("What do you like best about the app?", Aim.LIKE),
        ("What do you like or dislike about the app?", Aim.JUDGE),
        ("Which of these should the service improve?", Aim.CHANGE),
        ("What would make the app better for you?", Aim.CHANGE),
        ("Which of these matters most to you?", Aim.WEIGH),
        ("What do you think of the app?", Aim.JUDGE),
        ("Was stört Sie am meisten?", Aim.DISLIKE),
        ("Was ist Ihnen wichtig?", Aim.WEIGH),
        ("¿Qué le molesta más del servicio?", Aim.DISLIKE),
        ("Que faudrait-il améliorer ?", Aim.CHANGE),
    ],
)
def test_a_question_asks_for_one_side(text: str, aim: Aim) -> None:
    assert inquiry(text).aim is aim


def test_on_a_scale_both_sides_count_but_weight_stays_weight() -> None:
    assert inquiry("How much do you like the app?", sided=True).aim is Aim.JUDGE
    assert inquiry("How important is the price?", sided=True).aim is Aim.WEIGH


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How worried are you about safety?", "en"),
        ("How difficult is it, on a scale of 1 (very easy) to 5 (very hard)?", "en"),
        ("From 1 to 5, where 1 means excellent, how frustrated are you?", "en"),
        ("How likely are you to cancel?", "en"),
        ("Wie besorgt sind Sie um die Sicherheit?", "de"),
        ("À quel point êtes-vous inquiet pour la sécurité ?", "fr"),
    ],
)
def test_much_may_mean_bad(text: str, language: str) -> None:
    assert asks_for_bad(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "How likely are you to recommend it?",
        "How satisfied are you with how we handle problems?",
        "Does it solve your problem?",
        "How many stations do you know?",
        "",
    ],
)
def test_much_mostly_means_good(text: str) -> None:
    assert not asks_for_bad(text, "en")


def test_the_subject_is_what_remains_besides_the_asking_and_the_options() -> None:
    asked = inquiry("Which of these matters most for the bicycle hire: price or safety?", ("price", "safety"))

    assert set(asked.subject) == {"bicycl", "hir"}


def test_a_question_on_the_service_has_no_subject_of_its_own() -> None:
    asked = inquiry("How likely are you to recommend our service to a friend?")

    assert not asked.subject
    assert asked.general == {"servic"}


def test_a_verdict_is_known_in_the_language_of_the_sentence() -> None:
    asked = inquiry("Wie wahrscheinlich ist es, dass Sie den Dienst weiterempfehlen?")

    assert asked.rules(frozenset({"recommend"}), "en")
    assert asked.rules(frozenset({"empfehl"}), "de")
    assert not asked.rules(frozenset({"station"}), "en")


def test_words_of_asking_are_told_from_things() -> None:
    assert asks("frustrat", "en")
    assert not asks("batteri", "en")


@given(st.text(max_size=200), st.lists(st.text(max_size=10), max_size=3).map(tuple), st.booleans())
def test_any_text_can_be_asked(text: str, options: tuple[str, ...], sided: bool) -> None:
    asked = inquiry(text, options, sided=sided)

    assert asked == inquiry(text, options, sided=sided)
    assert all(weight > 0 for weight in asked.subject.values())
