"""What must not be cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.joints import QUANTITY, shielded


@pytest.mark.parametrize(
    "text", ["once or twice a week", "5 or more", "fish and chips", "(tea or ale)", "ein- oder zweimal pro Tag"]
)
def test_amounts_names_and_brackets_lose_what_could_part_them(text: str) -> None:
    assert not any(joint in shielded(text) for joint in (" or ", " and ", " oder "))


@pytest.mark.parametrize("text", ["tea or ale", "$5 or less than that", "one, two or three times"])
def test_what_joins_options_stays(text: str) -> None:
    assert shielded(text) == text


def test_an_amount_of_two_numbers_is_known() -> None:
    assert QUANTITY.search("two or three times a week")


@given(st.text(alphabet="ab 12(),or", max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(shielded(text)) == len(text)
