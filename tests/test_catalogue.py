"""What holds for every tool that is served, whichever toolset it is in: what the model and the host see of it."""

import inspect
import json
import re
from typing import Any

import limits
import pytest
from jsonschema import Draft202012Validator

from mcp_server.caller import ANONYMOUS
from mcp_server.errors import AuthenticationRequired
from mcp_server.primitives import require
from mcp_server.toolset import Tool, discover
from oauth.primitives.scopes import ALL as KNOWN_SCOPES
from tests.snapshots import PRESCRIBED, every_toolset

TOOLS = [tool for toolset in every_toolset() for tool in toolset.tools]
PUBLIC = {
    *PRESCRIBED,
    "ask",
    "clear_history",
    "create_ai_persona_or_digital_twin",
    "get_article",
    "get_doc_page",
    "get_page",
    "get_section_pages",
    "list_doc_pages",
    "list_docs",
    "list_sections",
    "search_articles",
    "search_docs",
    "search_pages",
}

MOST_TOOLS = 30
"""Of what is served by default: hosts and models lose their way beyond that; some refuse long lists."""

SHORTEST_DESCRIPTION, LONGEST_DESCRIPTION = 80, 1024
LONGEST_STATUS = 64
LONGEST_WAIT = 120
"""Seconds."""

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def input_faults(schema: dict[str, Any]) -> list[str]:
    """A valid, closed object whose properties are described and whose required ones exist."""
    Draft202012Validator.check_schema(schema)
    properties = schema.get("properties", {})
    return [
        *([] if schema.get("type") == "object" else ["not an object"]),
        *([] if schema.get("additionalProperties") is False else ["takes unknown arguments"]),
        *(f"{name} is not described" for name, value in properties.items() if not value.get("description")),
        *(f"{name} is required and not there" for name in schema.get("required", []) if name not in properties),
    ]


def description_faults(description: str) -> list[str]:
    """It says when to use the tool, and is short enough to be read."""
    return [
        *([] if re.search(r"\b(use|choose|when)\b", description, re.IGNORECASE) else ["does not say when to use it"]),
        *(
            []
            if SHORTEST_DESCRIPTION <= len(description) <= LONGEST_DESCRIPTION
            else [f"{len(description)} characters"]
        ),
        *(["several lines"] if "\n" in description else []),
    ]


def test_there_are_not_too_many_tools_and_no_name_stands_twice() -> None:
    names = [tool.name for tool in TOOLS]

    assert 0 < sum(len(toolset.tools) for toolset in discover()) <= MOST_TOOLS
    assert len(set(names)) == len(names)


@every_tool
@pytest.mark.requirement("seed:gateway:tool-name", "seed:gateway:tool-title", "seed:gateway:tool-description")
def test_a_tool_has_a_plain_name_a_title_and_a_description_that_says_when(tool: Tool) -> None:
    definition = tool.definition

    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", definition.name)
    assert definition.title
    assert definition.title != definition.name
    assert description_faults(definition.description or "") == []


@every_tool
@pytest.mark.requirement("seed:gateway:tool-input-schema")
def test_arguments_are_a_closed_object_and_the_result_has_a_schema_that_a_failure_also_obeys(tool: Tool) -> None:
    schema = tool.definition.output_schema

    assert input_faults(dict(tool.definition.input_schema)) == []
    assert schema is not None
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate({"error": {"code": "not_found", "message": "…", "suggestions": []}})
    assert not Draft202012Validator(schema).is_valid({})
    assert schema["additionalProperties"] is False


@every_tool
@pytest.mark.requirement(
    "seed:gateway:tool-hints",
    "seed:gateway:tool-cost-timeout-confirmation",
    "seed:gateway:tool-visibility",
    "seed:gateway:tool-scopes",
)
def test_hints_are_stated_and_the_metadata_tells_cost_timeout_confirmation_visibility_and_scopes(tool: Tool) -> None:
    meta, hints = tool.definition.meta or {}, tool.definition.annotations

    assert hints is not None
    for stated in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint):
        assert stated is not None
    assert not (hints.read_only_hint and hints.destructive_hint)
    assert meta["costHint"] in {"low", "medium", "high"}
    assert meta["timeoutHint"] == tool.timeout * 1000
    assert meta["confirmationHint"] is bool(tool.annotations.destructive_hint)
    assert meta["openai/visibility"] == "public"
    assert meta["openai/scopes"] == sorted(tool.scopes)
    assert {"type": "oauth2", "scopes": sorted(tool.scopes)} in meta["securitySchemes"]


@every_tool
def test_what_a_tool_states_of_itself_is_what_can_be(tool: Tool) -> None:
    assert tool.scopes or tool.public
    assert tool.scopes <= KNOWN_SCOPES
    assert not tool.limit or limits.parse(tool.limit).amount >= tool.units > 0
    assert 0 < tool.timeout <= LONGEST_WAIT
    assert 0 < len(tool.invoking) <= LONGEST_STATUS
    assert 0 < len(tool.invoked) <= LONGEST_STATUS
    assert inspect.iscoroutinefunction(tool.run)
    assert callable(tool.signature.returns.as_text)


def test_the_definitions_stay_small_enough_to_be_sent_with_every_conversation() -> None:
    definitions = {tool.name: tool.definition.model_dump(mode="json", by_alias=True) for tool in TOOLS}
    results = {name: len(json.dumps(definition.pop("outputSchema"))) for name, definition in definitions.items()}
    for definition in definitions.values():
        del definition["_meta"]  # hosts keep it to themselves
    shown = {name: len(json.dumps(definition)) for name, definition in definitions.items()}

    # Every host puts the one part before its model; the result's schema is for programs.
    assert {name: size for name, size in shown.items() if size > 5_500} == {}
    assert {name: size for name, size in results.items() if size > 12_000} == {}
    assert sum(shown[tool.name] for toolset in discover() for tool in toolset.tools) < 42_000
    for toolset in every_toolset():
        assert sum(shown[tool.name] for tool in toolset.tools) < 20_000


@pytest.mark.requirement(
    "seed:gateway:new-tool-private",
    "seed:gateway:list-needs-auth",
    "seed:gateway:talk-needs-auth",
    "seed:gateway:check-needs-auth",
)
def test_a_tool_needs_a_credential_unless_its_file_says_that_it_is_public() -> None:
    refused = set()
    for tool in TOOLS:
        kinds = [scheme["type"] for scheme in tool.security_schemes]
        assert ("noauth" in kinds) == tool.public
        assert "oauth2" in kinds
        try:
            require(tool, ANONYMOUS)
        except AuthenticationRequired:
            refused.add(tool.name)

    assert {tool.name for tool in TOOLS if tool.public} == PUBLIC
    assert not Tool.public
    assert refused == {tool.name for tool in TOOLS} - PUBLIC
