"""Ranges that are a scale though nobody calls them one."""

import pytest

from app.internal_api.panels.understanding.ranges import ranges
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
