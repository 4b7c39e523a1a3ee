"""The caller's groups with their members."""

from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import audience, id_of, listing
from tests.support import FakeApi, text_of

TOOL = "list_groups"


async def test_each_group_is_shown_with_its_members(api: FakeApi) -> None:
    api.answers["GET /audiences"] = listing([audience("Owners", "Mia", "Ben"), audience("Nobody")])

    result = await called(api, TOOL, searchQuery="owner")

    (group,) = result.structured_content["groups"]
    assert (group["id"], [persona["name"] for persona in group["personas"]]) == (id_of("Owners"), ["Mia", "Ben"])
    assert id_of("Owners") in text_of(result)


async def test_where_there_is_none_the_next_step_is_named(api: FakeApi) -> None:
    api.answers["GET /audiences"] = listing([])

    result = await called(api, TOOL)

    assert "create_group" in text_of(result)
