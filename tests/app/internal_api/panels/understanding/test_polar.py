"""Questions that are answered by yes or no."""

import pytest

from app.internal_api.panels.understanding.polar import begins_polar, begins_with_verb, is_polar, yes_and_no


@pytest.mark.parametrize(
    ("sentence", "language", "polar"),
    [
        ("would you buy it?", "en", True),
        ("if it were cheap, would you buy it?", "en", True),
        ("isn't it good?", "en", True),
        ("can you describe it?", "en", False),
        ("do you have any ideas?", "en", False),
        ("is there anything missing?", "en", False),
        ("what would you buy?", "en", False),
        ("why, if it is cheap, would you buy it?", "en", False),
        ("kaufen sie es?", "de", True),
        ("warum kaufen sie es?", "de", False),
        ("konnen sie uns sagen, was fehlt?", "de", False),
        ("¿compraria esto?", "es", True),
        ("¿que compraria?", "es", False),
        ("konnen sie zwei oder drei dinge nennen?", "de", False),
        ("nennen sie zwei grunde.", "de", False),
        ("achetez-vous en ligne ?", "fr", True),
        ("que faites-vous ?", "fr", False),
    ],
)
def test_a_question_whose_verb_comes_first_is_answered_by_yes_or_no(sentence: str, language: str, polar: bool) -> None:
    assert is_polar(sentence, language) is polar
    assert begins_polar(sentence, language) is polar


def test_a_request_begins_with_its_verb_too() -> None:
    assert begins_with_verb("can you name two or three?", "en")
    assert not begins_with_verb("one or two?", "en")


def test_yes_or_no_may_be_said() -> None:
    assert is_polar("tell me, yes or no.", "en")
    assert not begins_polar("tell me, yes or no.", "en")


@pytest.mark.parametrize(("language", "answers"), [("de", ("Ja", "Nein")), ("xx", ("Yes", "No"))])
def test_the_answers_are_in_the_language_of_the_question(language: str, answers: tuple[str, str]) -> None:
    assert yes_and_no(language) == answers
