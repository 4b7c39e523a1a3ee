"""Structured results are closed, frozen and in camel case."""

import pytest
from pydantic import ValidationError

from mcp_server.toolkit.answers import Answer


class Example(Answer):
    first_name: str


def test_fields_travel_in_camel_case() -> None:
    assert Example(first_name="Ada").model_dump(by_alias=True) == {"firstName": "Ada"}


def test_what_is_not_a_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Example.model_validate({"firstName": "Ada", "secret": "x"})
