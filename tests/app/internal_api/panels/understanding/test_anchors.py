"""A scale that is told by its points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.anchors import by_anchors
from app.internal_api.panels.understanding.reading import read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tea is good. Never (0) to always (10)", (0, 10)),
        ("Tea is good (1-5)", (1, 5)),
        ("Tea is good [1-7].", (1, 7)),
        ("How hot is it? 1 2 3 4 5", (1, 5)),
        ("How hot is it? 5, 4, 3, 2, 1", (1, 5)),
        ("Very cold 1 2 3 Very hot", (1, 3)),
        ("How hot is it? [1] [2] [3]", (1, 3)),
        ("How hot is it, 0 being cold and 10 boiling?", (0, 10)),
        ("How hot is it? 1 cold, 2 mild, 3 hot", (1, 3)),
        ("How good is it? 1. bad 2. fair 3. good", (1, 3)),
        ("How do you like it? 1. Cups 2. Pots 3. Mugs", None),
        ("How many cups? 1 2 3 4 5", None),
        ("Pick a cup: 1 2 3 4", None),
        ("Tea for children (0-10) is mild", None),
        ("It takes 1 to 5 minutes", None),
        ("How hot is it? 1 2 4 5", None),
        ("Between 1 hour and 10 days", None),
        ("How likely is it?\n1 - not\n2 - maybe\n3 - surely", (1, 3)),
        ("How likely is it?\n0 = not\n1 = maybe\n2 = surely", (0, 2)),
        ("How likely is it?\n1 - not\n3 - surely\n5 - yes", (1, 5)),
        ("How likely is it?\n4 - not\n5 - maybe\n6 - surely", None),
        ("How likely is it?\n1 - not\n2 - surely", None),
        ("Which one?\n1 - tea\n2 - ale\n3 - milk", None),
        ("How likely is it? 1 - not, 2 - maybe, 3 - surely", (1, 3)),
        ("How likely is it (1 - not at all, 7 - very)?", (1, 7)),
        ("1 - not at all, 5 - very much: how much do you trust us?", (1, 5)),
        ("How likely is it? 1 - not, 2 - surely", None),
        ("How likely is it with plan 1 - tea, 5 - ale?", None),
        ("Which one? 1 - tea, 2 - ale, 3 - milk", None),
    ],
)
def test_points_with_names_are_a_scale_where_something_is_rated(text: str, found: tuple[int, int] | None) -> None:
    assert by_anchors(read(text).masked) == found


@given(st.sampled_from([0, 1]), st.integers(3, 10), st.sampled_from([" ", ", ", " / ", " | ", "/", " - ", "; "]))
def test_a_run_of_points_is_a_scale_however_it_is_parted(low: int, high: int, mark: str) -> None:
    points = mark.join(map(str, range(low, high + 1)))

    assert by_anchors(read(f"How hot is it? {points}").masked) == (low, high)


@given(
    st.sampled_from([0, 1]),
    st.sampled_from([3, 5, 7, 10, 100]),
    st.sampled_from(["{} ({}) to {} ({})", "{1} = {0}, {3} = {2}", "{1} {0}, {3} {2}", "{1} - {0}, {3} - {2}"]),
)
def test_two_named_ends_are_a_scale_however_they_are_named(low: int, high: int, form: str) -> None:
    assert by_anchors(read("How hot is it? " + form.format("very cold", low, "very hot", high)).masked) == (low, high)
