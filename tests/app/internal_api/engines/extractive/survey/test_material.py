"""What a persona can rest its answer on."""

import pytest

from app.internal_api.engines.engine import SurveyQuestion, Turn
from app.internal_api.engines.extractive.survey.material import Material, read_material
from app.internal_api.knowledge.documents import Passage
from tests.app.internal_api.engines.people import ADA, passage

OFFER = "We plan a semester ticket for students. The ticket costs 20 euros and includes reservations."


def material(text: str, *passages: Passage, context: str = "", earlier: tuple[Turn, ...] = ()) -> Material:
    return read_material(ADA, SurveyQuestion(text, "qualitative", context=context, earlier=earlier), passages)


def test_its_own_passages_are_cited_once_each() -> None:
    first, second = passage("The app is slow. The app is confusing.", "One"), passage("The app is bad.", "Two")

    found = material("What do you think of the app?", first, second)

    assert found.cited(found.statements) == (first, second)
    assert found.origin(found.statements) == "mind_knowledge"


def test_what_was_attached_is_quoted_by_whom_it_reminds_of_nothing() -> None:
    found = material("What do you think of it?", passage("Cats purr."), context=OFFER)

    assert found.statements
    assert found.origin(found.statements) == "request_evidence"
    assert found.cited(found.statements) == ()


def test_who_knows_something_about_what_was_attached_speaks_of_that() -> None:
    known = passage("A ticket for a semester would bring me back.")

    found = material("What do you think of it?", known, context=OFFER)

    assert [each.unit.text for each in found.statements] == [known.text]
    assert found.origin(found.statements) == "mind_knowledge"


def test_without_anything_read_it_rests_on_itself() -> None:
    found = material("What do you think of the app?")

    assert (found.statements, found.valence, found.touched) == ((), 0.0, False)
    assert found.origin(()) == "mind_personality"


def test_a_subject_may_be_touched_beside_the_point() -> None:
    assert material("What frustrates you about the app?", passage("The app is good.")).touched


@pytest.mark.parametrize(("text", "side"), [("The app is useless and slow.", -1), ("The app is excellent.", 1)])
def test_the_valence_is_what_the_best_statements_say(text: str, side: int) -> None:
    assert material("What do you think of the app?", passage(text)).valence * side > 0.3


def test_a_long_passage_is_read_up_to_a_bound_and_cited_whole() -> None:
    long = passage("The app is slow. " * 5_000)
    late = passage("The app is excellent.")

    found = material("What do you think of the app?", long, late)

    assert found.cited(found.statements) == (long,)


def test_a_question_that_goes_on_takes_its_subject_from_the_one_before() -> None:
    earlier = (Turn("user", "What do you think of the lock?"), Turn("assistant", "It is fine."))

    found = material("And why?", passage("The lock is terrible. The app is good."), earlier=earlier)

    assert found.statements[0].unit.text == "The lock is terrible."
