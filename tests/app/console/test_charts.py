"""Charts as SVG: their figures, and texts that stay texts."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.charts import bar, columns, placed, points

SPAN = st.tuples(st.integers(-1_000, 1_000), st.integers(1, 100)).map(lambda ends: (ends[0], ends[0] + ends[1]))


def test_a_bar_has_its_share_and_its_interval() -> None:
    root = ET.fromstring(bar("half", 0.5, (0.25, 0.75)))

    assert root.findall("rect[@class='fill']")[0].attrib["width"] == "50"
    assert root.findall("path[@class='whisker']")[0].attrib["d"].startswith("M25 5H75")


def test_what_is_beyond_the_ends_stays_within_the_bar() -> None:
    root = ET.fromstring(bar("much", 1.5, (-1, 2)))

    assert root.findall("rect[@class='fill']")[0].attrib["width"] == "100"


@pytest.mark.parametrize("text", ["</title><script>alert(1)</script>", '"><b>', "{count}", "&amp;"])
def test_texts_stay_texts(text: str) -> None:
    root = ET.fromstring(columns(text, [(text, 3)]))

    assert root.findtext("title", "").strip("\u2068\u2069") == text
    assert [each.text for each in root.findall("text")] == ["3", text]
    assert root.findtext("desc") == f"{text}: 3"


@given(SPAN, st.lists(st.integers(0, 100), max_size=50))
def test_every_answer_is_in_one_of_a_dozen_columns(span: tuple[int, int], places: list[int]) -> None:
    low, high = span
    values = [min(high, low + place) for place in places]

    found = points(span, [(str(value), 1) for value in values])

    assert len(found) <= 12
    assert sum(count for _, count in found) == len(values)


def test_a_short_scale_has_a_column_for_each_point() -> None:
    assert points((1, 3), [("1", 2), ("3", 1)]) == [("1", 2), ("2", 0), ("3", 1)]


@given(SPAN)
def test_the_ends_of_a_scale_are_placed_at_the_ends(span: tuple[int, int]) -> None:
    assert placed(span[0], *span) == 0.0
    assert placed(span[1], *span) == 1.0
