"""The reason before the value."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from app.internal_api.engines.engine import Persona, SurveyQuestion
from app.internal_api.engines.extractive.survey.material import read_material
from app.internal_api.engines.extractive.survey.reasons import (
    LENGTHS,
    Speaker,
    choice,
    opinion,
    speaker,
    stand,
    weighty,
)
from app.internal_api.knowledge.documents import Passage
from tests.app.internal_api.engines.extractive.survey import asked
from tests.app.internal_api.engines.people import ADA, passage
from tests.app.internal_api.engines.texts import BICYCLES, passages_of

APP = "What do you think of the app?"


def who(
    text: str, *passages: Passage, persona: Persona = ADA, context: str = "", options: tuple[str, ...] = ()
) -> Speaker:
    question = SurveyQuestion(text, "qualitative", context=context, options=options)
    return speaker(persona, read_material(persona, question, passages, sided=not options))


def test_a_persons_own_account_needs_no_introduction() -> None:
    message, quoted = stand(who(APP, passage("I love the app.")), 0.6, decided=False)

    assert message.startswith("I love the app.")
    assert len(quoted) == 1


def test_nobodys_field_is_their_own_name() -> None:
    nameless, _ = stand(who(APP, persona=replace(ADA, discipline=ADA.name)), 0.6, decided=False)
    known, _ = stand(who(APP, persona=replace(ADA, discipline="Mathematics")), 0.6, decided=False)

    assert ADA.name not in nameless
    assert "Mathematics" in known


def test_what_was_read_is_introduced() -> None:
    message, _ = stand(who(APP, passage("The app is excellent.")), 0.6, decided=False)

    assert not message.startswith("The app")
    assert "The app is excellent." in message


def test_a_clear_view_quotes_nothing_that_speaks_against_it() -> None:
    text = "The app is excellent, useful and reliable. I enjoy the app. The app is slow."

    message, _ = stand(who(APP, passage(text)), 0.8, decided=False)

    assert "slow" not in message


def test_the_last_sentence_fits_the_leaning() -> None:
    speaks = who(APP, passage("I open the app."))

    assert any(stand(speaks, -1, decided=False)[0].endswith(end) for end in speaks.phrases.stances[0])
    assert any(stand(speaks, 1, decided=False)[0].endswith(end) for end in speaks.phrases.stances[-1])


def test_yes_or_no_leaves_no_middle() -> None:
    speaks = who(APP, passage("I open the app."))

    assert not any(stand(speaks, 0.0, decided=True)[0].endswith(end) for end in speaks.phrases.stances[2])
    assert any(stand(speaks, 0.0, decided=False)[0].endswith(end) for end in speaks.phrases.stances[2])


def test_a_worry_is_spoken_of_as_a_burden_and_weight_as_weight() -> None:
    worry, weight = who("How worried are you about the app?"), who("How important is the app to you?")

    assert any(stand(worry, -1, decided=False)[0].endswith(end) for end in worry.phrases.burdens[0])
    assert any(stand(weight, 1, decided=False)[0].endswith(end) for end in weight.phrases.weights[-1])


def test_who_leans_the_other_way_says_so() -> None:
    speaks = who(APP, passage("I love the app, it is excellent."))

    assert speaks.phrases.otherwise in stand(speaks, -0.5, decided=False)[0]
    assert speaks.phrases.otherwise not in stand(speaks, 0.5, decided=False)[0]


def test_who_knows_nothing_says_who_speaks_instead() -> None:
    message, quoted = stand(who(APP), 0.5, decided=False)

    assert quoted == ()
    assert "Coffee" in message


def test_a_choice_names_its_options_and_each_statement_once() -> None:
    speaks = who("Which do you like?", passage("The price and the app are good."), options=("price", "app"))
    backing = speaks.material.every[0]

    message, quoted = choice(speaks, ["price", "app"], [backing, backing], clear=True)

    assert quoted == (backing,)
    assert message.count(backing.unit.text) == 1
    assert "“price” and “app”" in message


def test_a_matter_of_taste_is_called_so() -> None:
    speaks = who("Which would you pick?", options=("price", "app"))

    assert choice(speaks, ["app"], [], clear=False)[0].endswith("To my own taste: “app”.")


def test_nothing_of_the_kind_is_another_answer_than_nothing_known() -> None:
    question = "What frustrates you about the app?"
    touched = speaker(ADA, read_material(ADA, SurveyQuestion(question, "qualitative"), [passage("The app is good.")]))
    silent = speaker(ADA, read_material(ADA, SurveyQuestion(question, "qualitative"), []))

    assert opinion(touched, "standard")[0] in touched.phrases.beside
    assert any(opinion(silent, "standard")[0].startswith(phrase) for phrase in silent.phrases.silent)


@pytest.mark.parametrize("form", list(LENGTHS))
def test_an_open_answer_is_as_long_as_is_wanted_where_the_material_allows(form: str) -> None:
    fewest, most = LENGTHS[form]
    speaks = who("What do you think of bicycles, locks, rain and safety?", *passages_of(BICYCLES, "Bicycles"))

    message, _ = opinion(speaks, form)

    assert fewest <= len(message.split()) <= most


@settings(max_examples=50, deadline=None)
@given(asked.PERSONAS, asked.OPEN_QUESTIONS, asked.PASSAGES)
def test_no_open_answer_is_too_long(persona: Persona, question: SurveyQuestion, passages: list[Passage]) -> None:
    message, _ = opinion(speaker(persona, read_material(persona, question, passages)), question.response_form)

    assert message.strip()
    assert len(message.split()) <= LENGTHS[question.response_form][1]


def test_what_keeps_up_with_the_best_weighs() -> None:
    first, second = who(APP, passage("The app is excellent. The app is good.")).material.statements

    assert weighty([first, second]) == [first, second]
    assert weighty([first, replace(second, worth=first.worth / 10)]) == [first]
