"""The toolset has the four tools under their published names, and its service is opened with the runtime."""

from mcp_server.toolset import discover
from mcp_server.toolsets.personas.service import PersonaService
from tests.mcp_server.toolsets.personas.world import TOOLS
from tests.support import FakeApi, serve

ARGUMENTS = {
    "list_my_ai_personas": ["searchQuery"],
    "create_ai_persona_or_digital_twin": [
        "name",
        "mode",
        "type",
        "discipline",
        "keywords",
        "personaContext",
        "contextLink",
        "description",
        "demo",
    ],
    "talk_to_ai_persona": ["message", "sparkId", "sparkName", "conversationHistory"],
    "check_ai_persona_training_progress": ["sparkId"],
}

REQUIRED = {
    "list_my_ai_personas": [],
    "create_ai_persona_or_digital_twin": ["name", "mode"],
    "talk_to_ai_persona": ["message"],
    "check_ai_persona_training_progress": ["sparkId"],
}


def test_the_tools_have_the_published_names_and_arguments() -> None:
    [personas] = discover(["personas"])

    schemas = {tool.name: tool.definition.input_schema for tool in personas.tools}
    assert set(schemas) == TOOLS
    assert {name: list(schema["properties"]) for name, schema in schemas.items()} == ARGUMENTS
    assert {name: schema.get("required", []) for name, schema in schemas.items()} == REQUIRED


def test_each_tool_states_what_the_published_table_says_of_it() -> None:
    [personas] = discover(["personas"])

    stated = {tool.name: (tool.public, tool.limit, sorted(tool.scopes)) for tool in personas.tools}
    assert stated == {
        "list_my_ai_personas": (False, "", ["sparks:read"]),
        "create_ai_persona_or_digital_twin": (True, "20/minute", ["sparks:write"]),
        "talk_to_ai_persona": (False, "60/minute", ["sparks:chat", "sparks:read"]),
        "check_ai_persona_training_progress": (False, "", ["sparks:read"]),
    }


async def test_the_service_is_opened_with_the_runtime(api: FakeApi) -> None:
    async with serve(api) as gateway:
        assert isinstance(gateway.runtime.get(PersonaService), PersonaService)
