"""Options made presentable, and options that a caller gives."""

import pytest

from app.internal_api.panels.understanding.options import checked_options, distinct, presented
from app.internal_api.panels.understanding.words import MakesNoSense


@pytest.mark.parametrize(
    ("pieces", "options"),
    [
        ([" tea,", "or coffee?"], ("Tea", "Coffee")),
        (['"Go now!"', "“Stay.”"], ("Go now!", "Stay.")),
        (["iPhone", ".NET", "eBay"], ("iPhone", ".NET", "eBay")),
        (["a", "A", "b"], ("A", "B")),
        (["a (x, y)", "b"], ("A (x, y)", "B")),
        (["a", "b", "and why?"], ("A", "B")),
        (["a", "b (pick up to 3)"], ("A", "B")),
        (["a"], ()),
        (["a", "x" * 201], ()),
        (["a", "b; c"], ()),
        ([str(number) for number in range(51)], ()),
    ],
)
def test_pieces_of_a_wording_become_options(pieces: list[str], options: tuple[str, ...]) -> None:
    assert presented(pieces) == options


def test_given_options_are_taken_word_for_word() -> None:
    assert checked_options([" yes,  really ", "Yes, really", "no."]) == ("yes, really", "no.")


@pytest.mark.parametrize(
    "options", [["a"], ["a", "A"], ["a", " "], ["a", "b" * 201], ["a", "b; c"], [str(number) for number in range(51)]]
)
def test_given_options_that_make_no_sense_are_refused(options: list[str]) -> None:
    with pytest.raises(MakesNoSense) as refused:
        checked_options(options)

    assert refused.value.code == "INVALID_OPTIONS"


def test_of_equal_options_the_first_spelling_stays() -> None:
    assert distinct(["Tea", "tea", "Ale"]) == ("Tea", "Ale")
