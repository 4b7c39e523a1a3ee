"""The sides of an "or"."""

import pytest

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.shapes import shape_of
from app.internal_api.panels.understanding.sides import Side, Sides, sides_of


def sides(text: str) -> Sides | None:
    reading = read(text)
    shape = shape_of(reading.sentences[0].text, reading.language)
    return sides_of(reading.masked, shape.rest, len(reading.masked), shape) if shape else None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Is the tea too hot or mild?", ["too hot", "mild"]),
        ("Is it hot or cold for you?", ["hot", "cold"]),
        ("Do you drink green tea or brown ale?", ["green tea", "brown ale"]),
        ("Do you drink in town or in the country?", ["in town", "in the country"]),
        ("Do you brew the tea or get it cold?", ["brew the tea", "get it cold"]),
        ("Does it get hot, get cold or stay mild?", ["get hot", "get cold", "stay mild"]),
        ("Is tea or ale better?", ["tea", "ale"]),
        ("Is the tea or the ale better?", ["the tea", "the ale"]),
        ("Do you drink it before or after lunch?", ["before", "after"]),
        ("Do you drink it once or twice a day or never?", ["once or twice a day", "never"]),
    ],
)
def test_each_side_is_as_long_as_the_others_are_built(text: str, found: list[str]) -> None:
    told = sides(text)

    assert told is not None
    assert [" ".join(side.words) for side in told.found] == found


@pytest.mark.parametrize("text", ["Is it hot?", "Is it hot, or is it cold?", "Is it for you or the cat?", "Is or?"])
def test_where_nothing_is_joined_there_are_no_sides(text: str) -> None:
    assert sides(text) is None


def test_what_is_joined_is_told() -> None:
    subjects, deeds = sides("Is tea or ale better?"), sides("Do you brew the tea or buy it?")

    assert subjects is not None
    assert (subjects.of_subject, subjects.compared, subjects.deeds) == (True, True, False)
    assert deeds is not None
    assert (deeds.of_subject, deeds.compared, deeds.deeds) == (False, False, True)


def test_a_side_can_be_cut() -> None:
    side = Side(("a", "b", "c"), ((0, 1), (2, 3), (4, 5)))

    assert side.cut(1, 2) == Side(("b",), ((2, 3),))
