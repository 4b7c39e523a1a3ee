"""The shapes that settings are written in."""

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.settings.types import Count, Names, Seconds, each, network


def test_a_list_is_written_with_commas_and_blanks_are_dropped() -> None:
    assert TypeAdapter(Names).validate_python(" a, b ,,c ") == ("a", "b", "c")
    assert TypeAdapter(Names).validate_python(("a",)) == ("a",)


def test_each_entry_is_checked_and_stands_there_once() -> None:
    lowered = TypeAdapter(Annotated[Names, each(str.lower)])

    assert lowered.validate_python("A, b, a") == ("a", "b")


def test_an_address_is_a_network_of_one() -> None:
    assert network("10.0.0.1") == "10.0.0.1/32"
    assert network("10.0.0.1/8") == "10.0.0.0/8"
    with pytest.raises(ValueError, match="proxy"):
        network("proxy")


@pytest.mark.parametrize(("kind", "value"), [(Seconds, 0), (Seconds, 86_401), (Count, 0), (Count, 1_001)])
def test_numbers_have_bounds(kind: Any, value: float) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)
