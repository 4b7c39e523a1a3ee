"""The toolset states what the published table says, and its service is opened with the runtime."""

from mcp_server.toolset import discover
from mcp_server.toolsets.personas.service import PersonaService
from tests.support import FakeApi, serve


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
        assert isinstance(gateway.runtime.services[PersonaService], PersonaService)
