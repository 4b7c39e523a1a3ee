"""Personas and groups are found by id or by name, each once; what is not clear is asked back."""

import pytest

from mcp_server.errors import Ambiguous, InvalidArguments, NotFound
from mcp_server.toolsets.panels._people import PERSONA, chosen, distinct_names, identity, ids
from mcp_server.toolsets.panels._study import Member
from tests.mcp_server.toolsets.panels.world import id_of

KNOWN = [Member(id_of(name), name) for name in ("Mia", "Benjamin", "Zoë")]


@pytest.mark.parametrize("wanted", ["Mia", " mia ", "Benjamn", "zoe", id_of("Mia"), id_of("Mia").upper()])
def test_a_persona_is_found_by_name_or_id(wanted: str) -> None:
    (found,) = chosen(PERSONA, [wanted], KNOWN)

    assert isinstance(found, Member)


def test_who_is_named_twice_is_there_once_and_the_order_stays() -> None:
    assert ids(chosen(PERSONA, ["Zoë", "Mia", id_of("Zoë")], KNOWN)) == [id_of("Zoë"), id_of("Mia")]


def test_an_id_that_is_not_listed_is_left_to_the_internal_api() -> None:
    assert chosen(PERSONA, [id_of("Stranger")], KNOWN) == [id_of("Stranger")]


def test_a_name_of_nobody_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(NotFound) as caught:
        chosen(PERSONA, ["Benedict"], KNOWN)

    assert "Benjamin" in caught.value.details["suggestions"]


def test_a_name_of_two_is_asked_back() -> None:
    with pytest.raises(Ambiguous):
        chosen(PERSONA, ["Mia"], [*KNOWN, Member("other", "Mia")])


@pytest.mark.parametrize("text", ["Mia", "", "1234", "not-a-uuid"])
def test_a_name_is_no_id(text: str) -> None:
    assert identity(text) is None


def test_groups_that_differ_in_case_and_blanks_only_are_one_name() -> None:
    with pytest.raises(InvalidArguments):
        distinct_names(["Owners", "Guests", " owners "])


def test_different_names_pass() -> None:
    distinct_names(["Owners", "Guests"])
