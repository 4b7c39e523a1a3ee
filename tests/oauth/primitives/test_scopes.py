"""The arithmetic on scopes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import Unacceptable
from oauth.primitives.scopes import ALL, SCOPES, parse


def test_no_scope_is_about_keys_so_that_a_key_cannot_mint_keys() -> None:
    assert not [scope for scope in SCOPES if "key" in scope or "account" in scope]


@given(st.text())
def test_a_scope_list_is_read_or_refused_and_never_widened(text: str) -> None:
    try:
        named = parse(text)
    except Unacceptable:
        return

    assert named <= ALL
    assert named <= set(text.split())


@pytest.mark.parametrize(
    "text", ["", " ", "sparks", "sparks:*", "*", "SPARKS:READ", "sparks:read,docs:read", "sparks:read\tdocs:read"]
)
def test_what_is_no_list_of_known_scopes_is_refused(text: str) -> None:
    with pytest.raises(Unacceptable):
        parse(text)
