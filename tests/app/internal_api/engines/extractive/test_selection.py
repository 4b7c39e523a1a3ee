"""Which sentences make the answer."""

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.scoring import score_units
from app.internal_api.engines.extractive.selection import MOST_CHARACTERS, Cover, Selection, overview, select
from app.internal_api.engines.extractive.units import read_units
from tests.app.internal_api.engines.people import passage


def chosen(question: str, *texts: str) -> Selection:
    found = [passage(text) for text in texts]
    asked = read_question([Turn("user", question)], "Ada", None)
    return select(asked, *score_units(asked, read_units(found), found))


def said(question: str, *texts: str) -> list[str]:
    return [unit.text for unit in chosen(question, *texts).units]


def test_near_duplicates_are_said_once() -> None:
    twice = said("What about the pump pressure?", "The pump has high pressure.", "The pump has a high pressure.")

    assert len(twice) == 1


def test_sentences_of_one_passage_keep_their_order() -> None:
    text = "Cats purr. The pump makes pressure for the coffee. Dogs bark. Pressure of the pump is high."

    assert said("Tell me about the pump pressure", text) == [
        "The pump makes pressure for the coffee.",
        "Pressure of the pump is high.",
    ]


def test_a_sentence_that_begins_with_it_brings_the_one_before() -> None:
    text = "Moriondo built a device. It used steam pressure to brew."

    assert said("What used steam pressure?", text) == ["Moriondo built a device.", "It used steam pressure to brew."]


def test_a_list_is_told_whole_with_its_introduction() -> None:
    assert said("What about detergent?", "You need two things:\n- some detergent\n- a brush") == [
        "You need two things:",
        "some detergent",
        "a brush",
    ]


def test_a_row_brings_the_names_of_its_columns() -> None:
    assert said(
        "What is the weight of a cable lock?", "| Lock | Weight |\n|---|---|\n| Cable | 0.3 kg |\n| Chain | 3 kg |"
    ) == [
        "Lock | Weight",
        "Cable | 0.3 kg",
    ]


def test_matches_scattered_over_sentences_do_not_make_an_answer() -> None:
    scattered = chosen("How much does the silver teapot cost?", "Silver is grey. Tea is hot. A teapot pours.")

    assert scattered.cover is not Cover.FULL


def test_a_question_of_form_is_covered_by_that_form_only() -> None:
    assert chosen("When was the library built?", "The library was built of red brick.").cover is Cover.PARTIAL
    assert chosen("When was the library built?", "The library was built in 1951.").cover is Cover.FULL


def test_a_stranger_in_the_question_is_not_covered_by_its_other_words() -> None:
    text = "The water in the kettle is hot."

    assert chosen("Is the water in Paris hot?", text).cover is Cover.PARTIAL
    assert chosen("What is the best hotel and water of Paris?", text).cover is Cover.NONE


def test_nothing_in_common_is_no_answer() -> None:
    assert chosen("What is the capital of Mongolia?", "Espresso is hot.") == Selection((), Cover.NONE, evaluates=False)
    assert chosen("What?", "").cover is Cover.NONE


def test_the_answer_is_bounded() -> None:
    long = [f"The pump number {number} has pressure {'and ' * 60}more." for number in range(12)]

    assert sum(map(len, said("Tell me about the pump pressure", *long))) <= MOST_CHARACTERS


def test_an_overview_takes_the_beginning_of_each_passage() -> None:
    found = [passage("One is first. Two."), passage("Three is other."), passage("- item")]
    asked = read_question([Turn("user", "Tell me something")], "Ada", None)

    beginning = overview(score_units(asked, read_units(found), found)[0])

    assert [unit.text for unit in beginning.units] == ["One is first.", "Three is other."]
    assert beginning.general
