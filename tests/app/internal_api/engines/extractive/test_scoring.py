"""How well a unit answers."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.scoring import Matcher, Scored, score_units, stems_of
from app.internal_api.engines.extractive.units import read_units
from tests.app.internal_api.engines.people import passage


def scored(
    question: str, *texts: str, heading: str | None = None, similarity: float = 0.5
) -> tuple[list[Scored], Matcher]:
    found = [passage(text, heading=heading, similarity=similarity) for text in texts]
    return score_units(read_question([Turn("user", question)], "Ada", None), read_units(found), found)


def best(question: str, *texts: str, heading: str | None = None) -> str:
    return max(scored(question, *texts, heading=heading)[0], key=lambda each: each.score).unit.text


def test_the_rarer_word_decides() -> None:
    assert (
        best("Is espresso roasted?", "Espresso is hot. Espresso is small. The beans are roasted.")
        == "The beans are roasted."
    )


def test_the_form_of_the_answer_counts() -> None:
    text = "The espresso pump is loud. The espresso pump needs 25 seconds."

    assert best("How long does the espresso pump need?", text) == "The espresso pump needs 25 seconds."


def test_words_side_by_side_count_more_than_apart() -> None:
    text = "A size of cup that fits the grind. The grind size of the coffee is fine."

    assert best("What about grind size?", text) == "The grind size of the coffee is fine."


def test_the_heading_speaks_for_its_sentences() -> None:
    units, matcher = scored("How do I ride safely?", "Be seen by others.", heading="Safety")

    assert units[0].score > 0
    assert matcher.coverage(units[0].matched) > 0


def test_a_sentence_without_any_word_of_the_question_scores_nothing() -> None:
    units, _ = scored("How hot is the water?", "Cats are soft animals.")

    assert [unit.score for unit in units] == [0]


def test_a_synonym_counts_less_than_the_word() -> None:
    (word, synonym), matcher = scored("What does the bicycle weigh?", "The bicycle is red.\n\nThe bike is red.")

    assert matcher.value(word.matched) > matcher.value(synonym.matched) > 0


@given(st.text(max_size=60), st.lists(st.text(max_size=100), max_size=4), st.floats())
def test_scores_and_coverage_stay_in_bounds(question: str, texts: list[str], similarity: float) -> None:
    units, matcher = scored(question, *texts, similarity=similarity)

    assert all(0 <= each.score < 5 for each in units)
    assert all(0 <= matcher.coverage(each.matched) <= 1 + 1e-9 for each in units)


def test_function_words_have_no_stems() -> None:
    assert stems_of("The water is hot", "en") == ("water", "hot")
