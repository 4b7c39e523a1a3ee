"""What the bounds of the edge may be told."""

import pytest
from pydantic import ValidationError

from app.settings import Settings


@pytest.mark.parametrize("contact", ["mailto:a@b.example", "https://b.example/report", "tel:+49-30-1"])
def test_a_contact_is_an_address_that_a_reporter_can_use(contact: str) -> None:
    assert Settings(_env_file=None, security_contact=contact).security_contact == (contact,)


@pytest.mark.parametrize(
    "contact", ["security@b.example", "http://b.example", "https://b.example/a\nExpires: never", "x"]
)
def test_anything_else_is_refused(contact: str) -> None:
    with pytest.raises(ValidationError):
        Settings(_env_file=None, security_contact=contact)


@pytest.mark.parametrize(("name", "value"), [("max_connections", 1), ("max_calls_at_once", 0), ("body_seconds", 0)])
def test_a_bound_of_nothing_is_no_bound(name: str, value: int) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({name: value})
