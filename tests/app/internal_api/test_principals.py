"""Principals are values."""

import dataclasses

import pytest

from app.internal_api.principals import Principal


def test_a_principal_is_no_demo_visitor_unless_it_is_said() -> None:
    principal = Principal("id", frozenset({"sparks:read"}))

    assert principal.demo is False
    with pytest.raises(dataclasses.FrozenInstanceError):
        principal.demo = True  # type: ignore[misc]  # that it is refused is the point
