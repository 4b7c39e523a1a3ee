"""An answer counts for what its question offers, and for nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.values import chosen, counted, parts, point, several
from tests.app.internal_api.panels.rows import answer, pending, question


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
        ("qualitative", "Price;  too   slow ;; Price", ("Price", "too slow")),
        ("qualitative", " ; ", ()),
        ("qualitative", "", ()),
    ],
)
def test_a_value_counts_for_what_the_question_offers(kind: str, value: str, found: tuple[str, ...] | None) -> None:
    assert counted(question(kind), answer(value)) == found


def test_what_has_no_answer_counts_for_nothing() -> None:
    assert counted(question("scale"), answer(None)) is None
    assert counted(question("scale"), pending(0)) is None
    assert counted(question("scale"), answer("4", status="timeout")) is None


def test_a_scale_without_known_ends_takes_any_whole_number() -> None:
    assert point("-7", None) == -7


OPTIONS = st.lists(st.text("ab; ", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True)


@given(OPTIONS, st.data())
def test_chosen_options_are_offered_ones_in_their_order_whatever_the_text(
    options: list[str], data: st.DataObject
) -> None:
    text = data.draw(st.text("ab; "))

    found = chosen(text, options)

    assert list(found) == [option for option in options if option in found]


@given(st.lists(st.text("abc ", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True), st.data())
def test_joined_options_are_found_again(options: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sets(st.sampled_from(options)))

    assert set(chosen("; ".join(wanted), options)) == wanted


def test_an_option_that_holds_the_separator_is_one_option() -> None:
    assert chosen("Tea; hot; Milk", ["Tea", "Tea; hot", "Milk"]) == ("Tea; hot", "Milk")


def test_an_option_may_be_called_what_choosing_nothing_is() -> None:
    assert several("None", ["Tea", "None"]) == ("None",)


@given(st.text())
def test_labels_are_trimmed_lines_without_separators(text: str) -> None:
    for label in parts(text):
        assert label
        assert label == " ".join(label.split())
        assert ";" not in label
