"""No tool changes for the world without a reviewer seeing it, and every tool keeps the rules of the house."""

import inspect
import json
from pathlib import Path

import limits
import pytest
from jsonschema import Draft202012Validator

from mcp_server.toolset import Tool
from tests.snapshots import accept, differences, every_toolset

TOOLS = [tool for toolset in every_toolset() for tool in toolset.tools]
SCOPES = {"sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write", "docs:read"}
MOST_TOOLS = 25
LONGEST_DESCRIPTION = 1_024
LONGEST_STATUS = 64

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def test_every_tool_is_as_it_was_accepted() -> None:
    assert differences() == [], "look at the change, then accept it with `make snapshots`"


def test_a_changed_a_new_and_a_vanished_tool_are_seen(tmp_path: Path) -> None:
    accept(tmp_path)
    assert differences(tmp_path) == []

    changed, removed = sorted(tmp_path.glob("*.json"))[:2]
    changed.write_bytes(changed.read_bytes().replace(b"readOnlyHint", b"readOnlyHunt"))
    removed.rename(tmp_path / "of_yesterday.json")

    assert differences(tmp_path) == sorted(
        [f"changed: {changed.name}", f"new: {removed.name}", "gone: of_yesterday.json"]
    )


def test_there_are_not_too_many_tools_for_a_model() -> None:
    assert 0 < len(TOOLS) <= MOST_TOOLS
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


@pytest.mark.requirement("seed:gateway:tool-hints")
@each_tool
def test_all_four_hints_are_stated_and_agree(tool: Tool) -> None:
    hints = tool.annotations

    stated = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint]
    assert all(isinstance(hint, bool) for hint in stated)
    assert not (hints.read_only_hint and hints.destructive_hint)


@pytest.mark.requirement("seed:gateway:tool-name", "seed:gateway:tool-title", "seed:gateway:tool-description")
@each_tool
def test_name_title_and_description_serve_people_and_models(tool: Tool) -> None:
    description = tool.definition.description or ""

    assert tool.name.replace("_", "").isalpha()
    assert tool.name.islower()
    assert tool.title
    assert tool.title != tool.name
    assert 80 <= len(description) <= LONGEST_DESCRIPTION
    assert "\n" not in description


@pytest.mark.requirement("seed:gateway:tool-input-schema")
@each_tool
def test_the_arguments_are_a_closed_object_with_described_properties(tool: Tool) -> None:
    schema = tool.definition.input_schema

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert [name for name, argument in schema["properties"].items() if not argument.get("description")] == []
    assert set(schema.get("required", [])) <= set(schema["properties"])


@each_tool
def test_the_result_has_a_schema_that_a_failure_also_obeys(tool: Tool) -> None:
    schema = tool.definition.output_schema

    assert schema is not None
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate({"error": {"code": "not_found", "message": "…", "suggestions": []}})
    assert not Draft202012Validator(schema).is_valid({})
    assert schema["additionalProperties"] is False


@pytest.mark.requirement(
    "seed:gateway:tool-visibility", "seed:gateway:tool-scopes", "seed:gateway:tool-cost-timeout-confirmation"
)
@each_tool
def test_the_metadata_is_what_hosts_read(tool: Tool) -> None:
    meta = tool.definition.meta or {}

    assert meta["openai/visibility"] == "public"
    assert meta["openai/scopes"] == sorted(tool.scopes)
    assert meta["costHint"] in {"low", "medium", "high"}
    assert meta["timeoutHint"] == tool.timeout * 1000
    assert meta["confirmationHint"] is bool(tool.annotations.destructive_hint)
    assert {"type": "oauth2", "scopes": sorted(tool.scopes)} in meta["securitySchemes"]
    assert ({"type": "noauth"} in meta["securitySchemes"]) is tool.public
    assert 0 < len(tool.invoking) <= LONGEST_STATUS
    assert 0 < len(tool.invoked) <= LONGEST_STATUS


@each_tool
def test_scopes_limit_and_timeout_are_ones_that_exist(tool: Tool) -> None:
    assert tool.scopes
    assert tool.scopes <= SCOPES
    assert limits.parse(tool.limit).amount > 0
    assert 0 < tool.timeout <= 120


@each_tool
def test_a_tool_is_a_plain_async_function_with_a_text_for_hosts_without_an_interface(tool: Tool) -> None:
    assert inspect.iscoroutinefunction(tool.run)
    assert callable(tool.signature.returns.as_text)


def test_the_definitions_stay_small_enough_to_be_sent_with_every_conversation() -> None:
    sizes = {tool.name: len(json.dumps(tool.definition.model_dump(mode="json", by_alias=True))) for tool in TOOLS}

    assert {name: size for name, size in sizes.items() if size > 8_000} == {}
