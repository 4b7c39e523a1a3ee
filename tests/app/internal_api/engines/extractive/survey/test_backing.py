"""How much knowledge speaks for each option."""

from app.internal_api.engines.engine import SurveyQuestion
from app.internal_api.engines.extractive.survey.backing import Backed, back
from app.internal_api.engines.extractive.survey.material import read_material
from tests.app.internal_api.engines.people import ADA, passage


def backed(text: str, options: tuple[str, ...], *texts: str) -> dict[str, Backed]:
    asked = SurveyQuestion(text, "multiselect", options=options)
    found = back(options, read_material(ADA, asked, [passage(each) for each in texts]))
    return {each.option: each for each in found}


def test_what_decides_outweighs_what_is_only_mentioned() -> None:
    found = backed(
        "Which matters most to you?", ("price", "safety"), "Price is great. Safety is what I think of first."
    )

    assert found["safety"].support > found["price"].support > 0
    assert found["safety"].clear
    assert found["safety"].statement is not None
    assert found["safety"].statement.unit.text == "Safety is what I think of first."


def test_what_is_said_not_to_matter_speaks_against_it() -> None:
    found = backed(
        "Which matters to you?", ("price", "availability"), "Availability is the problem; not the price. Cats purr."
    )

    assert found["price"].support < 0 < found["availability"].support


def test_praise_speaks_for_a_pick_and_blame_for_a_nuisance() -> None:
    text = "The app is excellent. The lock is terrible."

    picked = backed("Which would you pick?", ("app", "lock"), text)
    nuisance = backed("Which of these should they improve?", ("app", "lock"), text)

    assert picked["app"].support > 0 > picked["lock"].support
    assert nuisance["lock"].support > 0 > nuisance["app"].support


def test_a_clause_speaks_only_for_the_option_that_it_names() -> None:
    found = backed("Which would you pick?", ("price", "app"), "Price is great, reliability is mixed, the app is bad.")

    assert found["price"].support > 0 > found["app"].support


def test_a_period_counts_only_where_somebody_pays() -> None:
    options = ("monthly", "yearly")
    found = backed("Which would you pick?", options, "I had two flat tyres in a year. I pay thirty euros a month.")

    assert found["yearly"].support == 0
    assert found["monthly"].support > 0


def test_a_word_that_all_options_have_tells_nothing() -> None:
    found = backed("Which would you pick?", ("red plan", "blue plan"), "The plan is excellent.")

    assert {each.support for each in found.values()} == {0.0}


def test_without_knowledge_nothing_is_backed() -> None:
    found = backed("Which would you pick?", ("a", "b"))

    assert all(each.statement is None and each.support == 0 and not each.clear for each in found.values())
