"""What arguments were like, and nothing of what they were."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.observability.events import summary_of


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        (None, None),
        ({}, None),
        ({"name": "Ada", "limit": 5}, "name=text:3 limit=number"),
        ({"a": [1, 2], "b": {"c": 1}, "d": None, "e": True}, "a=list:2 b=object:1 d=none e=true"),
        ({str(number): "" for number in range(14)}, " ".join(f"{n}=text:0" for n in range(12)) + " and 2 more"),
    ],
)
def test_names_kinds_and_sizes_are_told(arguments: dict[str, Any] | None, summary: str | None) -> None:
    assert summary_of(arguments) == summary


@given(st.text(min_size=12))
def test_no_value_is_told(value: str) -> None:
    assert value not in str(summary_of({"x": value, "y": [value]}))
