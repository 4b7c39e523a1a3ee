"""A call is told by what tells it from another, and never by its arguments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.observability.events import digest, summary_of

arguments = st.dictionaries(st.text(max_size=8), st.integers(-(2**40), 2**40) | st.text(max_size=8), max_size=6)


@given(arguments)
def test_the_order_of_the_arguments_does_not_matter(some: dict[str, Any]) -> None:
    assert digest(some) == digest(dict(reversed(some.items())))


@given(arguments, arguments)
def test_different_arguments_have_different_digests(some: dict[str, Any], other: dict[str, Any]) -> None:
    assert (digest(some) == digest(other)) == (some == other)


@pytest.mark.parametrize("odd", [None, {}, {"a": "\ud800"}, {"a": 2**80}, {"\udfff": 1}])
def test_a_digest_is_sixteen_hex_digits_whatever_comes(odd: dict[str, Any] | None) -> None:
    assert len(digest(odd)) == 16
    assert int(digest(odd), 16) >= 0


def test_a_digest_does_not_show_what_it_was_made_of() -> None:
    assert "secret" not in digest({"password": "secret"})


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
