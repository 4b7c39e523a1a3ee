"""The toolset has its tools under their published names, and its service is opened and closed with the runtime."""

from mcp_server.toolset import discover
from mcp_server.toolsets.panels.service import PanelService
from tests.support import FakeApi, serve

ARGUMENTS = {
    "list_panels": ["searchQuery"],
    "list_groups": ["searchQuery"],
    "create_group": ["name", "sparkIds", "sparkNames"],
    "create_panel": ["name", "groupConfigs", "groupIds"],
    "ask_panel": [
        "question",
        "panelId",
        "panelName",
        "groupIds",
        "attachments",
        "links",
        "questionType",
        "scale",
        "options",
    ],
    "get_panel_results": ["panelId", "panelName", "questionId"],
    "export_panel": ["panelId", "panelName", "format", "questionId", "csvByteOrderMark"],
}
REQUIRED = {"create_group": {"name"}, "create_panel": {"name"}, "ask_panel": {"question"}}


def test_the_tools_have_the_published_names_and_arguments() -> None:
    [panels] = discover(["panels"])

    schemas = {tool.name: tool.definition.input_schema for tool in panels.tools}
    assert {name: set(schema["properties"]) for name, schema in schemas.items()} == {
        name: set(arguments) for name, arguments in ARGUMENTS.items()
    }
    assert {name: set(schema.get("required", [])) for name, schema in schemas.items()} == {
        name: REQUIRED.get(name, set()) for name in ARGUMENTS
    }


def test_no_panel_tool_works_without_signing_in() -> None:
    [panels] = discover(["panels"])

    assert {tool.name: (tool.public, bool(tool.scopes)) for tool in panels.tools} == dict.fromkeys(
        ARGUMENTS, (False, True)
    )


async def test_the_service_is_opened_with_the_runtime(api: FakeApi) -> None:
    async with serve(api, discover(["panels"])) as gateway:
        assert isinstance(gateway.runtime.get(PanelService), PanelService)
