"""The toolset states what the published table says, and the schema of each answer is closed and complete."""

import pytest
from pydantic import BaseModel

from mcp_server.toolkit.answers import Answer
from mcp_server.toolset import discover

[PERSONAS] = discover(["personas"])


def models(root: type[BaseModel] = Answer) -> list[type[BaseModel]]:
    return [root, *(model for child in root.__subclasses__() for model in models(child))]


def test_each_tool_states_what_the_published_table_says_of_it() -> None:
    stated = {tool.name: (tool.public, tool.limit, sorted(tool.scopes)) for tool in PERSONAS.tools}
    assert stated == {
        "list_my_ai_personas": (False, "", ["sparks:read"]),
        "create_ai_persona_or_digital_twin": (True, "20/minute", ["sparks:write"]),
        "talk_to_ai_persona": (False, "60/minute", ["sparks:chat", "sparks:read"]),
        "check_ai_persona_training_progress": (False, "", ["sparks:read"]),
        "create_personas": (False, "10/minute", ["sparks:read", "sparks:write"]),
        "set_persona_attributes": (False, "", ["sparks:read", "sparks:write"]),
        "add_knowledge": (False, "", ["sparks:read", "sparks:write"]),
        "list_knowledge": (False, "", ["sparks:read"]),
        "remove_knowledge": (False, "", ["sparks:read", "sparks:write"]),
        "retrain": (False, "", ["sparks:read", "sparks:write"]),
        "rename": (False, "", ["sparks:read", "sparks:write"]),
        "delete_persona": (False, "", ["sparks:read", "sparks:write"]),
    }


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_every_part_of_an_answer_is_closed_and_always_complete(model: type[BaseModel]) -> None:
    schema = model.model_json_schema(mode="serialization", by_alias=True)

    for part in [schema, *schema.get("$defs", {}).values()]:
        assert part["additionalProperties"] is False
        assert sorted(part.get("required", [])) == sorted(part.get("properties", {}))
        assert "demoToken" not in part.get("properties", {})
