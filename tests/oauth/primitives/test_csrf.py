"""A form's token belongs to one session and one purpose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.primitives import csrf

words = st.text(min_size=1, max_size=40)


@given(words, words)
def test_the_token_of_a_form_is_good_in_its_session_for_its_purpose(secret: str, purpose: str) -> None:
    token = csrf.token(secret, purpose)

    assert csrf.is_token(token, secret, purpose)
    assert not csrf.is_token(token, f"{secret}x", purpose)
    assert not csrf.is_token(token, secret, f"{purpose}x")


@pytest.mark.parametrize("given", [None, "", "0" * 64, "é"])
def test_nothing_else_is_a_token(given: str | None) -> None:
    assert not csrf.is_token(given, "secret", "login")
