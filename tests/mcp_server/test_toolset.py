"""Tools are found by their folder, and what breaks the form of the folder does not start."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from mcp_server.toolset import Tool, _tool, discover


class Result(BaseModel):
    def as_text(self) -> str:
        return "done"


class Mute(BaseModel):
    """A result that cannot be read."""


async def greet(name: str) -> Result:
    """Greet somebody.

    Use it first.
    """
    return Result.model_validate({}) if name else Result()


async def mutter() -> Mute:
    """Say nothing."""
    return Mute()


async def shout() -> Any:
    """Return anything."""


def made(run: Callable[..., Any] = greet, **more: Any) -> Tool:
    annotations = ToolAnnotations(read_only_hint=True, destructive_hint=False)
    return Tool(run=run, title="Greet", annotations=annotations, scopes=frozenset({"b", "a"}), **more)


def module(name: str, tool: Any) -> ModuleType:
    found = ModuleType(f"somewhere.tools.{name}")
    found.TOOL = tool  # type: ignore[attr-defined]  # as a tool module has it
    return found


@pytest.mark.requirement("seed:gateway:new-tool-one-file")
def test_the_toolsets_of_the_setting_are_found_in_its_order() -> None:
    [personas] = discover(["personas"])

    assert personas.name == "personas"
    assert [tool.name for tool in personas.tools] == sorted(tool.name for tool in personas.tools)
    assert [toolset.name for toolset in discover()] == [
        "personas",
        "panels",
        "docs",
    ]  # those of the default, in its order


def test_a_toolset_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ValueError) as refusal:
        discover(["personas", "persona"])

    assert "'persona'" in str(refusal.value)
    assert "personas" in str(refusal.value)


@pytest.mark.parametrize("name", ["../personas", "os", "personas.tools", "", "__init__"])
def test_a_name_that_is_no_folder_of_ours_imports_nothing(name: str) -> None:
    before = set(sys.modules)

    with pytest.raises(ValueError):
        discover([name])

    assert {module for module in set(sys.modules) - before if not module.startswith("mcp_server.toolsets")} == set()


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("greet", None),
        ("greet", SimpleNamespace(name="greet")),
        ("welcome", made()),
        ("mutter", made(mutter)),
        ("shout", made(shout)),
    ],
)
def test_a_module_that_breaks_the_form_does_not_start(name: str, tool: Any) -> None:
    with pytest.raises(TypeError):
        _tool(module(name, tool))


def test_the_definition_says_all_that_the_file_says() -> None:
    definition = made(invoking="Greeting", invoked="Greeted", cost="high", timeout=2.5, meta={"x": 1}).definition

    assert (definition.name, definition.title) == ("greet", "Greet")
    assert definition.description == "Greet somebody. Use it first."
    assert definition.meta == {
        "securitySchemes": [{"type": "oauth2", "scopes": ["a", "b"]}],
        "openai/visibility": "public",
        "openai/scopes": ["a", "b"],
        "openai/toolInvocation/invoking": "Greeting",
        "openai/toolInvocation/invoked": "Greeted",
        "costHint": "high",
        "timeoutHint": 2500,
        "confirmationHint": False,
        "x": 1,
    }


def test_a_public_tool_may_be_called_without_signing_in() -> None:
    assert made(public=True).security_schemes == [{"type": "noauth"}, {"type": "oauth2", "scopes": ["a", "b"]}]


def test_a_schema_of_its_own_goes_before_the_one_of_the_function() -> None:
    assert made(input_schema={"type": "object"}).definition.input_schema == {"type": "object"}
