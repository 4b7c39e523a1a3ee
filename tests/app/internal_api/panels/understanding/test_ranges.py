"""Ranges that are a scale though nobody calls them one."""

import pytest

from app.internal_api.panels.understanding.ranges import ranges, steps
from app.internal_api.panels.understanding.reading import read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rate it 1 to 7", [(1, 7)]),
        ("Rate it from -3 to 3", [(-3, 3)]),
        ("From 1 (sour) to 5 (sweet), is it your tea?", [(1, 5)]),
        ("From 1 to 5, how sweet is it?", [(1, 5)]),
        ("In spring, from 1 to 5, what is your mood?", [(1, 5)]),
        ("How was the tea from 1 to 5?", [(1, 5)]),
        ("From 1 to 10 what would you rate it?", [(1, 10)]),
        ("Zufriedenheit 1 bis 10?", [(1, 10)]),
        ("From 1 to 5, how many cups do you drink?", []),
        ("How do you get from 1 to 5?", []),
        ("What do you drink from 1 to 5?", []),
        ("For ages 1 to 5, how important is it?", []),
        ("Rate the years from 3 to 5", []),
        ("Rate it 1 to 500", []),
    ],
)
def test_a_range_is_a_scale_where_its_place_or_a_rating_speaks_for_it(text: str, found: list[tuple[int, int]]) -> None:
    assert list(ranges(read(text).masked)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How likely is it?\n1 - not\n2 - maybe\n3 - surely", (1, 3)),
        ("How likely is it?\n0 = not\n1 = maybe\n2 = surely", (0, 2)),
        ("How likely is it?\n1 - not\n3 - surely\n5 - yes", None),
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
def test_named_steps_of_a_rating_in_their_order_are_a_scale(text: str, found: tuple[int, int] | None) -> None:
    assert steps(read(text).masked) == found
