"""How far each sentence answers a question."""

from dataclasses import replace

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.survey.aims import read_inquiry
from app.internal_api.engines.extractive.survey.statements import Statement, best, read_statements
from tests.app.internal_api.engines.people import passage

BICYCLES = (
    "I hire a bicycle every morning. The bicycles are comfortable. What I do not love is the lock. It sticks in the"
    " rain and is terrible. I recommend the service to colleagues."
)


def told(question: str, *texts: str, sided: bool = False) -> list[Statement]:
    asked = read_question([Turn("user", question)], "Ada", None)
    inquiry = read_inquiry(asked, sided=sided)
    about = replace(asked, terms=dict(inquiry.subject), key=frozenset(inquiry.subject))
    return best(read_statements(about, inquiry, [passage(text) for text in texts]))


def quotes(question: str, *texts: str, sided: bool = False) -> list[str]:
    return [each.quoted for each in told(question, *texts, sided=sided)]


def test_a_nuisance_is_looked_for_among_complaints() -> None:
    assert quotes("What frustrates you about hiring bicycles?", BICYCLES) == [
        "What I do not love is the lock.",
        "What I do not love is the lock. It sticks in the rain and is terrible.",
    ]


def test_a_liking_is_looked_for_among_praise() -> None:
    assert quotes("What do you like best about the bicycles?", BICYCLES)[0] == "The bicycles are comfortable."


def test_a_verdict_answers_although_it_only_says_it() -> None:
    text = "The bicycle hire is near. We have bicycles. I recommend it to friends."

    assert quotes("How likely are you to recommend the bicycle hire?", text, sided=True)[0] == (
        "I recommend it to friends."
    )


def test_a_verdict_on_another_subject_does_not_answer() -> None:
    assert not quotes("How likely are you to recommend the espresso machine?", BICYCLES, sided=True)


def test_a_question_on_everything_is_answered_by_what_takes_a_side() -> None:
    assert [each.unit.text for each in told("What frustrates you most?", BICYCLES)] == [
        "What I do not love is the lock.",
        "It sticks in the rain and is terrible.",
    ]


def test_a_verdict_is_found_in_a_passage_of_another_language() -> None:
    found = told("Wie wahrscheinlich ist es, dass Sie den Dienst weiterempfehlen?", BICYCLES, sided=True)

    assert found[0].unit.text == "I recommend the service to colleagues."
    assert found[0].language == "en"
    assert found[0].sentiment > 0


def test_what_was_said_twice_is_kept_once() -> None:
    twice = "The bicycles are comfortable."

    assert quotes("What do you think of the bicycles?", twice, twice) == [twice]


def test_a_passage_of_scraps_is_read_up_to_a_bound() -> None:
    text = "\n".join(f"- number {number} of the excellent list" for number in range(100))
    asked = read_question([Turn("user", "What do you think of the list?")], "Ada", None)

    assert len(read_statements(asked, read_inquiry(asked), [passage(text), passage("The list is bad.")])) == 41


def test_a_scrap_comes_last() -> None:
    text = "No bicycles. The bicycles are empty and far away every single morning."

    assert quotes("What frustrates you about the bicycles?", text)[-1] == "No bicycles."


def test_what_somebody_says_of_themselves_comes_first() -> None:
    found = quotes("What do you think of the bicycles?", "People love the bicycles. I love the bicycles here.")

    assert found[0] == "I love the bicycles here."
