"""The arithmetic on scopes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import Unacceptable
from oauth.primitives.scopes import ALL, IN_WORDS, SCOPES, grouped, parse


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


@given(st.sets(st.sampled_from([*SCOPES, "made-up:read"])))
def test_every_known_scope_is_in_one_group_in_the_usual_order(asked: set[str]) -> None:
    groups = grouped(asked)

    assert [scope for group in groups.values() for scope in group] == [scope for scope in SCOPES if scope in asked]
    assert all(groups.values())
    assert {scope: words for group in groups.values() for scope, words in group.items()}.items() <= IN_WORDS.items()
