"""Agreement and distance lie between 0 and 1, and mean what they say at both ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.spread import consensus, divergence, diversity

COUNTS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 50))


def test_all_alike_agree_wholly_and_two_camps_at_the_ends_not_at_all() -> None:
    assert consensus([3, 3, 3], (1, 5)) == 1
    assert consensus([1, 5, 1, 5], (1, 5)) == 0
    assert consensus([3], None) is None
    assert consensus([], (1, 5)) is None


@given(st.lists(st.integers(1, 5), min_size=1))
def test_consensus_is_a_part_of_one(numbers: list[int]) -> None:
    found = consensus(numbers, (1, 5))

    assert found is not None
    assert 0 <= found <= 1


def test_one_theme_has_no_diversity_and_four_alike_have_three_quarters() -> None:
    assert diversity([7]) == 0
    assert diversity([2, 2, 2, 2]) == 0.75
    assert diversity([]) == 0


@given(st.lists(st.integers(0, 50)))
def test_diversity_is_below_one(counts: list[int]) -> None:
    assert 0 <= diversity(counts) < 1


def test_groups_that_share_nothing_are_wholly_apart_and_equal_ones_not_at_all() -> None:
    assert divergence([{"a": 3}, {"b": 1}]) == 1
    assert divergence([{"a": 1, "b": 1}, {"a": 5, "b": 5}]) == 0
    assert divergence([{"a": 1}]) == 0


@given(st.lists(COUNTS))
def test_divergence_does_not_depend_on_the_order_of_the_groups(groups: list[dict[str, int]]) -> None:
    assert 0 <= divergence(groups) <= 1 + 1e-9
    assert divergence(groups) == pytest.approx(divergence(groups[::-1]))
