"""Personas and groups are found by id or name, each once, before anything is sent; what is not clear is asked back."""

from typing import Any

import pytest

from mcp_server.errors import InvalidArguments
from mcp_server.minds_api.name_index import Entry
from mcp_server.toolkit.names import Directory
from mcp_server.toolsets.panels._creating import MOST_MEMBERS, MOST_NAMED, PERSONA, resolve
from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import id_of, minds
from tests.support import FakeApi, Reply, failure_of


def ids_of(letter: str) -> list[str]:
    return [id_of(f"{letter} {number}") for number in range(MOST_MEMBERS // 2 + 1)]


@pytest.mark.parametrize(
    "groups",
    [
        [{"sparkIds": ids_of("a"), "sparkNames": ids_of("b")}],
        [{"name": one, "sparkNames": [f"{one} {number}" for number in range(MOST_NAMED // 3)]} for one in "abcd"],
    ],
    ids=["members", "names to compare"],
)
async def test_too_many_are_refused(api: FakeApi, groups: list[dict[str, Any]]) -> None:
    api.answers["GET /minds"] = minds("Mia")

    result = await called(api, "create_panel", name="Pricing", groupConfigs=groups)

    assert failure_of(result)["code"] == InvalidArguments.code


@pytest.mark.parametrize("count", [1, 30])
async def test_unknown_ids_are_named_but_not_all_of_many(api: FakeApi, count: int) -> None:
    api.answers["GET /minds"] = minds("Mia")
    api.answers["POST /studies"] = Reply({"statusCode": 404}, 404)

    result = await called(
        api, "create_panel", name="Pricing", groupConfigs=[{"sparkIds": [id_of(str(n)) for n in range(count)]}]
    )

    message = failure_of(result)["message"]
    assert id_of("0") in message
    assert ("..." in message) == (count > 10)


KNOWN = Directory(PERSONA, [Entry(id_of(name), name) for name in ("Mia", "Benjamin", "Zoë")])


@pytest.mark.parametrize("wanted", ["Mia", " mia ", "Benjamn", "zoe", id_of("Mia"), id_of("Mia").upper()])
def test_a_persona_is_found_by_name_or_id(wanted: str) -> None:
    ((found,),) = resolve(KNOWN, [[wanted]])

    assert isinstance(found, Entry)


def test_who_is_named_twice_is_there_once_and_the_order_stays() -> None:
    wanted = ["Zoë", "Mia", id_of("Zoë"), id_of("Stranger")]  # who is not listed is left to the internal API

    (found,) = resolve(KNOWN, [wanted])

    assert [one.id for one in found] == [id_of("Zoë"), id_of("Mia"), id_of("Stranger")]
