"""What a sentence says of its subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.extractive.survey.aims import Aim, Inquiry
from app.internal_api.engines.extractive.survey.weighing import (
    clauses,
    denies,
    fit,
    judgement,
    leaning_of,
    leans_on,
    personal,
    weight,
    wishes,
)

NOTHING: frozenset[str] = frozenset()


def asked(aim: Aim, *, sided: bool = False) -> Inquiry:
    return Inquiry(aim, sided, bad=False, verdicts=NOTHING, general=NOTHING, subject={"app": 1.0})


def test_what_follows_a_but_counts_most() -> None:
    assert judgement("The app is beautiful but useless.", "en", frozenset({"app"})) < 0
    assert judgement("The app is slow but excellent.", "en", frozenset({"app"})) > 0


def test_of_two_things_the_one_that_is_asked_about_counts() -> None:
    text = "A burr grinder is worth its price, whereas a blade grinder is a mistake."

    assert judgement(text, "en", frozenset({"burr"})) > 0
    assert judgement(text, "en", frozenset({"blad"})) < 0


def test_a_clause_on_another_thing_counts_less() -> None:
    text = "The man was kind and polite, and I can not use the app because it is slow."

    assert judgement(text, "en", frozenset({"app"})) < judgement(text, "en", frozenset({"man"}))


def test_the_name_of_the_subject_takes_no_side() -> None:
    assert judgement("Safety is what I think of.", "en", frozenset({"saf"})) == 0


@pytest.mark.parametrize(
    ("text", "language", "subject", "told"),
    [
        ("The price is what decides for me.", "en", "price", 1),
        ("Price is irrelevant to me.", "en", "price", -1),
        ("The price does not matter when one is afraid.", "en", "price", -1),
        ("Availability is the problem; not the price.", "en", "price", -1),
        ("Availability is the problem; not the price.", "en", "availabiliti", 1),
        ("The lanes are a matter for the city.", "en", "lane", 0),
        ("Das Wichtigste ist für mich die Sicherheit.", "de", "sicherheit", 1),
        ("El precio no me importa.", "es", "preci", -1),
    ],
)
def test_what_counts_with_somebody_is_heard(text: str, language: str, subject: str, told: float) -> None:
    assert weight(text, language, frozenset({subject})) == told


@pytest.mark.parametrize(
    "text", ["They should add chargers.", "More cargo bicycles is my only wish.", "Mehr Stationen wären gut."]
)
def test_wishes_are_heard(text: str) -> None:
    assert wishes(text)


@pytest.mark.parametrize("text", ["It happened more than once.", "I would recommend it.", "The app opens."])
def test_not_every_would_is_a_wish(text: str) -> None:
    assert not wishes(text)


def test_each_aim_has_its_own_fit() -> None:
    text = "They should mend the locks."

    assert fit(asked(Aim.LIKE), text, "en", 0.5) < fit(asked(Aim.LIKE), "The locks are good.", "en", 0.5)
    assert fit(asked(Aim.DISLIKE), text, "en", -0.5) == 0.5
    assert fit(asked(Aim.DISLIKE), text, "en", 0.5) == 0
    assert fit(asked(Aim.CHANGE), text, "en", 0.0) > 0
    assert fit(asked(Aim.JUDGE), text, "en", -0.5) == fit(asked(Aim.JUDGE), text, "en", 0.5)


def test_what_is_said_not_to_count_answers_only_how_much_it_counts() -> None:
    text = "The app is irrelevant to me."

    assert fit(asked(Aim.WEIGH), text, "en", 0.0) == 0
    assert fit(asked(Aim.WEIGH, sided=True), text, "en", 0.0) == 1
    assert leaning_of(asked(Aim.WEIGH, sided=True), text, "en", 0.0) == -1


def test_clauses_and_first_words() -> None:
    assert clauses("Price is great, reliability is mixed, the app is bad.") == [
        "Price is great",
        "reliability is mixed",
        "the app is bad.",
    ]
    assert denies("not the price")
    assert not denies("notable prices")
    assert leans_on("It sticks.")
    assert not leans_on("Italy is far.")
    assert personal("I ride.")
    assert not personal("He rides.")


@given(st.text(max_size=300), st.sampled_from(["en", "de", "es", "fr", "xx"]), st.sampled_from(list(Aim)))
def test_any_text_is_weighed_between_the_ends(text: str, language: str, aim: Aim) -> None:
    told = judgement(text, language, frozenset({"app"}))

    assert -1 <= told <= 1
    assert 0 <= fit(asked(aim), text, language, told) <= 1
    assert -1 <= leaning_of(asked(aim), text, language, told) <= 1
