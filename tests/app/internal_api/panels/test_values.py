"""What an answer counts for, and what the answers of a group come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.values import (
    chosen,
    counted,
    dominant,
    most_frequent,
    number,
    points,
    shares,
    statistics_of,
)
from tests.app.internal_api.panels.rows import answer, question


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
        ("scale", None, None),
        ("qualitative", "Price;  too   slow ;; Price", ("Price", "too slow")),
        ("qualitative", " ; ", ()),
        ("qualitative", "", ()),
    ],
)
def test_a_value_counts_for_what_the_question_offers(
    kind: str, value: str | None, found: tuple[str, ...] | None
) -> None:
    assert counted(question(kind), answer(value)) == found


@given(st.lists(st.text("abc ", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True), st.data())
def test_joined_options_are_found_again(options: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sets(st.sampled_from(options)))

    assert set(chosen("; ".join(wanted), options)) == wanted
    assert chosen("Tea; hot; Milk", ["Tea", "Tea; hot", "Milk"]) == ("Tea; hot", "Milk")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(7.4, "7.4"), (7.0, "7"), (10.0, "10"), (1 / 3, "0.33"), (-0.001, "0"), (100, "100"), (-2.5, "-2.5")],
)
def test_a_number_has_two_decimals_at_most_and_none_that_say_nothing(value: float, shown: str) -> None:
    assert number(value) == shown


@given(st.lists(st.lists(st.sampled_from("abcd"), unique=True, min_size=1)))
def test_a_distribution_lists_what_is_known_first_and_counts_everything(answers: list[list[str]]) -> None:
    found = shares(answers, ["b", "a"])

    assert [each.value for each in found[:2]] == ["b", "a"]
    assert sum(each.count for each in found) == sum(map(len, answers))
    assert all(each.share == (each.count / len(answers) if answers else 0) for each in found)


def test_the_statistics_of_a_scale_are_those_of_a_sample_and_one_answer_has_no_deviation() -> None:
    several, one = statistics_of([2, 4, 4, 10]), statistics_of([4])

    assert several is not None
    assert one is not None
    assert (several.mean, several.median, several.min, several.max) == (5, 4, 2, 10)
    assert several.sd == pytest.approx(3.4641)
    assert (one.mean, one.sd) == (4, None)
    assert statistics_of([]) is None


def test_a_scale_too_wide_to_list_shows_the_points_that_were_chosen() -> None:
    assert points((0, 100), []) == [str(point) for point in range(101)]
    assert points((0, 1000), [7, 500, 7]) == ["7", "500"]


def test_a_tie_names_both_and_at_most_three_are_named_most_frequent_first() -> None:
    tie = shares([["a"], ["b"], ["c"], ["b"], ["a"]], ["a", "b", "c"])
    many = shares([["a", "d"], ["d"], ["b", "c"], ["c"], ["c"]], ["a", "b", "c", "d"])

    assert (dominant(tie), most_frequent(many)) == ("a / b", "c; d; a")
    assert (dominant(shares([], ["a"])), most_frequent(shares([], ["a"]))) == ("", "")
