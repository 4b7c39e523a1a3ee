"""Figures in sentences are rounded once, and never to more than they are."""

import pytest

from mcp_server.toolsets.panels._aggregation.phrases import every, figure, personas, sentence, some


@pytest.mark.parametrize(
    ("value", "text"), [(7.4, "7.4"), (7, "7.0"), (7.25, "7.25"), (22 / 3, "7.33"), (-0.001, "0.0"), (-1.5, "-1.5")]
)
def test_a_figure_has_one_or_two_decimals(value: float, text: str) -> None:
    assert figure(value) == text


def test_only_the_first_names_are_listed_and_the_others_counted() -> None:
    assert some(["A", "B"]) == "A, B"
    assert some(list("ABCDEFG")) == "A, B, C, D, E and 2 more"


def test_numbers_agree_with_their_nouns() -> None:
    assert (personas(1), personas(2)) == ("1 persona", "2 personas")
    assert (every(2), every(3)) == ("both groups", "all 3 groups")
    assert sentence("all 3 groups") == "All 3 groups"
