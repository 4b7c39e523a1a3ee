"""Personas and groups are found by id or by name, each once; what is not clear is asked back."""

import pytest

from mcp_server.errors import Ambiguous, NotFound
from mcp_server.toolsets.panels._resolve_members import PERSONA, Resolver, ids
from mcp_server.toolsets.panels._study import Member
from tests.mcp_server.toolsets.panels.world import id_of

KNOWN = [Member(id_of(name), name) for name in ("Mia", "Benjamin", "Zoë")]


@pytest.mark.parametrize("wanted", ["Mia", " mia ", "Benjamn", "zoe", id_of("Mia"), id_of("Mia").upper()])
def test_a_persona_is_found_by_name_or_id(wanted: str) -> None:
    (found,) = Resolver(PERSONA, KNOWN).resolve([wanted])

    assert isinstance(found, Member)


def test_who_is_named_twice_is_there_once_and_the_order_stays() -> None:
    wanted = ["Zoë", "Mia", id_of("Zoë"), id_of("Stranger")]  # who is not listed is left to the internal API

    assert ids(Resolver(PERSONA, KNOWN).resolve(wanted)) == [id_of("Zoë"), id_of("Mia"), id_of("Stranger")]


def test_a_name_of_nobody_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(NotFound) as caught:
        Resolver(PERSONA, KNOWN).resolve(["Benedict"])

    assert "Benjamin" in caught.value.details["suggestions"]


def test_a_name_of_two_is_asked_back() -> None:
    with pytest.raises(Ambiguous):
        Resolver(PERSONA, [*KNOWN, Member("other", "Mia")]).resolve(["Mia"])
