"""The arithmetic on scopes."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import Unacceptable
from oauth.primitives.scopes import ALL, SCOPES, missing, parse, written

some = st.frozensets(st.sampled_from(SCOPES))


def test_there_are_six_scopes() -> None:
    assert set(SCOPES) == {
        "sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write", "docs:read"
    }  # fmt: skip


def test_no_scope_is_about_keys_so_that_a_key_cannot_mint_keys() -> None:
    assert not [scope for scope in SCOPES if "key" in scope or "account" in scope]


@given(some.filter(bool))
def test_what_is_written_is_read_again(scopes: frozenset[str]) -> None:
    assert parse(written(scopes)) == scopes


@given(st.lists(st.sampled_from(SCOPES), min_size=1), st.randoms())
def test_order_and_repetition_do_not_matter(scopes: list[str], random: Random) -> None:
    shuffled = random.sample(scopes, len(scopes))

    assert written(parse(" ".join(scopes))) == written(parse("  ".join(shuffled)))


@given(st.text())
def test_a_scope_list_is_read_or_refused_and_never_widened(text: str) -> None:
    try:
        named = parse(text)
    except Unacceptable:
        return

    assert named <= ALL
    assert named <= set(text.split())


@pytest.mark.parametrize(
    "text",
    ["", " ", "sparks", "sparks:*", "*", "SPARKS:READ", "sparks:read,docs:read", "sparks:read\tdocs:read"],
)
def test_what_is_no_list_of_known_scopes_is_refused(text: str) -> None:
    with pytest.raises(Unacceptable):
        parse(text)


@given(some, some)
def test_nothing_is_missing_exactly_when_all_that_is_needed_is_held(
    needed: frozenset[str], held: frozenset[str]
) -> None:
    lacking = missing(needed, held)

    assert (not lacking) == (needed <= held)
    assert lacking.isdisjoint(held)
    assert needed <= held | lacking
