"""What an answer counts for, and what the answers of a group come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.values import chosen, counted, number, points
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


def test_a_scale_too_wide_to_list_shows_the_points_that_were_chosen() -> None:
    assert points((0, 100), []) == [str(point) for point in range(101)]
    assert points((0, 1000), [7, 500, 7]) == ["7", "500"]
