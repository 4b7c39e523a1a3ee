"""The figures of one group are those of its answers, and never rounded to whole numbers."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.figures import dominant, most_frequent, number, points, share, shares, statistics_of

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


def test_a_share_of_no_answers_is_nothing() -> None:
    assert share("a", 0, 0).share == 0


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
