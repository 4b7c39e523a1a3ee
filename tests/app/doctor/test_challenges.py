"""WWW-Authenticate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor.challenges import bearer


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", None),
        ('Basic realm="x"', None),
        ("Bearer", {}),
        ('Bearer resource_metadata="https://a/b", scope="x y"', {"resource_metadata": "https://a/b", "scope": "x y"}),
        ("bearer ERROR=invalid_token", {"error": "invalid_token"}),
        (r'Bearer realm="a \"b\", c"', {"realm": 'a "b", c'}),
        ('Basic realm="x", Bearer scope="y", Digest scope="z"', {"scope": "y"}),
        ('Bearer scope="first", scope="second"', {"scope": "first"}),
    ],
)
def test_the_bearer_challenge_is_found_among_others(header: str, found: dict[str, str] | None) -> None:
    assert bearer(header) == found


@given(st.text())
def test_any_header_has_an_answer(header: str) -> None:
    assert bearer(header) is None or isinstance(bearer(header), dict)
