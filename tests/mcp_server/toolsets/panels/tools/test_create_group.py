"""A group is made of personas by id and by name."""

from typing import Any

import pytest

from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import audience, id_of, listing, minds
from tests.support import FakeApi, Reply, failure_of, text_of

TOOL = "create_group"
POST = "POST /audiences"


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    api.answers["GET /minds"] = minds("Mia", "Benjamin")
    api.answers["GET /audiences"] = listing([])
    api.answers[POST] = Reply({"data": audience("Owners", "Mia", "Benjamin")}, 201)
    return api


async def test_it_has_the_personas_that_were_named(api: FakeApi) -> None:
    result = await called(api, TOOL, name="Owners", sparkIds=[id_of("Mia")], sparkNames=["benjamin", "Mia"])

    assert api.sent_json(POST) == [{"name": "Owners", "mindIds": [id_of("Mia"), id_of("Benjamin")]}]
    assert id_of("Owners") in text_of(result)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "Owners"}, "invalid_arguments"),
        ({"name": "  ", "sparkNames": ["Mia"]}, "invalid_arguments"),
        ({"name": "Owners", "sparkNames": ["Nobody of that name"]}, "not_found"),
    ],
)
async def test_what_cannot_be_a_group_is_refused(api: FakeApi, arguments: dict[str, Any], code: str) -> None:
    result = await called(api, TOOL, **arguments)

    assert failure_of(result)["code"] == code
    assert not api.sent(POST)


async def test_a_stranger_among_the_ids_is_not_found(api: FakeApi) -> None:
    api.answers[POST] = Reply({"statusCode": 404}, 404)

    result = await called(api, TOOL, name="Owners", sparkIds=[id_of("Stranger")])

    assert failure_of(result)["code"] == "not_found"
    assert id_of("Stranger") in text_of(result)


async def test_a_second_group_of_a_name_is_pointed_out(api: FakeApi) -> None:
    api.answers["GET /audiences"] = listing([{**audience("owners", "Mia"), "id": id_of("an earlier one")}])

    result = await called(api, TOOL, name="Owners", sparkNames=["Mia"])

    assert "1 other group of that name" in text_of(result)
