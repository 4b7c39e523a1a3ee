"""What an answer counts for, and what the answers of a group come to."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.values import (
    chosen,
    counted,
    dominant,
    most_frequent,
    number,
    point,
    points,
    several,
    shares,
    statistics_of,
)
from tests.app.internal_api.panels.rows import answer, pending, question


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        ("scale", "4", ("4",)),
        ("scale", " 04 ", ("4",)),
        ("scale", "6", None),
        ("scale", "4.5", None),
        ("scale", "1_0", None),
        ("scale", "\u0664", None),
        ("scale", "9" * 400, None),
        ("categorical", "Red", ("Red",)),
        ("categorical", "red", None),
        ("multiselect", "Blue; Red; Purple", ("Red", "Blue")),
        ("multiselect", "None", ()),
        ("multiselect", "", None),
        ("multiselect", "Purple", None),
        ("qualitative", "Price;  too   slow ;; Price", ("Price", "too slow")),
        ("qualitative", " ; ", ()),
        ("qualitative", "", ()),
    ],
)
def test_a_value_counts_for_what_the_question_offers(kind: str, value: str, found: tuple[str, ...] | None) -> None:
    assert counted(question(kind), answer(value)) == found


def test_what_has_no_answer_counts_for_nothing() -> None:
    assert counted(question("scale"), answer(None)) is None
    assert counted(question("scale"), pending(0)) is None
    assert counted(question("scale"), answer("4", status="timeout")) is None


def test_a_scale_without_known_ends_takes_any_whole_number() -> None:
    assert point("-7", None) == -7


OPTIONS = st.lists(st.text("ab; ", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True)


@given(OPTIONS, st.data())
def test_chosen_options_are_offered_ones_in_their_order_whatever_the_text(
    options: list[str], data: st.DataObject
) -> None:
    text = data.draw(st.text("ab; "))

    found = chosen(text, options)

    assert list(found) == [option for option in options if option in found]


@given(st.lists(st.text("abc ", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True), st.data())
def test_joined_options_are_found_again(options: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sets(st.sampled_from(options)))

    assert set(chosen("; ".join(wanted), options)) == wanted


def test_an_option_that_holds_the_separator_is_one_option() -> None:
    assert chosen("Tea; hot; Milk", ["Tea", "Tea; hot", "Milk"]) == ("Tea; hot", "Milk")


def test_an_option_may_be_called_what_choosing_nothing_is() -> None:
    assert several("None", ["Tea", "None"]) == ("None",)


@given(st.text())
def test_labels_are_trimmed_lines_without_separators(text: str) -> None:
    for label in counted(question(), answer(text)) or ():
        assert label
        assert label == " ".join(label.split())
        assert ";" not in label


CHOICES = st.lists(st.lists(st.sampled_from("abcd"), unique=True, min_size=1))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(7.4, "7.4"), (7.0, "7"), (10.0, "10"), (1 / 3, "0.33"), (-0.001, "0"), (100, "100"), (-2.5, "-2.5")],
)
def test_a_number_has_two_decimals_at_most_and_none_that_say_nothing(value: float, shown: str) -> None:
    assert number(value) == shown


@given(st.floats(-1e6, 1e6))
def test_a_shown_number_is_within_half_a_hundredth(value: float) -> None:
    assert abs(float(number(value)) - value) <= 0.005 + 1e-9


@given(CHOICES)
def test_a_distribution_lists_what_is_known_first_and_counts_everything(answers: list[list[str]]) -> None:
    found = shares(answers, ["b", "a"])

    assert [each.value for each in found[:2]] == ["b", "a"]
    assert sum(each.count for each in found) == sum(map(len, answers))
    assert all(each.share == (each.count / len(answers) if answers else 0) for each in found)


@given(st.lists(st.integers(-100, 100), min_size=2))
def test_the_figures_of_a_scale_are_those_of_a_sample(numbers: list[int]) -> None:
    found = statistics_of(numbers)

    assert found is not None
    assert found.mean == pytest.approx(sum(numbers) / len(numbers))
    assert found.sd == pytest.approx(statistics.stdev(numbers))
    assert found.min <= found.median <= found.max


def test_one_answer_has_no_deviation_and_none_has_no_figures() -> None:
    one = statistics_of([4])

    assert one is not None
    assert (one.mean, one.sd) == (4, None)
    assert statistics_of([]) is None


def test_a_scale_too_wide_to_list_shows_the_points_that_were_chosen() -> None:
    assert points((0, 100), []) == [str(point) for point in range(101)]
    assert points((0, 1000), [7, 500, 7]) == ["7", "500"]
    assert points(None, [3, 1]) == ["1", "3"]


def test_a_tie_names_both_and_nothing_names_nobody() -> None:
    assert dominant(shares([["a"], ["b"], ["c"], ["b"], ["a"]], ["a", "b", "c"])) == "a / b"
    assert dominant(shares([], ["a", "b"])) == ""


def test_at_most_three_are_named_most_frequent_first() -> None:
    given_answers = [["a", "d"], ["d"], ["b", "c"], ["c"], ["c"]]

    assert most_frequent(shares(given_answers, ["a", "b", "c", "d"])) == "c; d; a"
    assert most_frequent(shares([], ["a"])) == ""
