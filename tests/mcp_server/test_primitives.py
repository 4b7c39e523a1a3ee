"""A tool is used by who may use it, and who may not learns what would be needed."""

from dataclasses import FrozenInstanceError

import pytest
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import AuthenticationRequired, PermissionDenied
from mcp_server.primitives import require
from mcp_server.toolset import Tool
from tests.support import ADA


class Nothing(BaseModel):
    def as_text(self) -> str:
        return ""


async def nothing() -> Nothing:
    """Do nothing."""
    return Nothing()


def tool(*scopes: str, public: bool = False) -> Tool:
    return Tool(run=nothing, title="Nothing", annotations=ToolAnnotations(), scopes=frozenset(scopes), public=public)


def holder(*scopes: str) -> Caller:
    return Caller(kind="api_key", subject="ada", scopes=frozenset(scopes))


@pytest.mark.parametrize(
    ("wanted", "caller"),
    [
        (tool("a"), holder("a")),
        (tool("a"), holder("a", "b")),
        (tool(), holder()),
        (tool(public=True), ANONYMOUS),
        (tool("a", public=True), ANONYMOUS),
    ],
)
def test_who_has_the_scopes_or_needs_none_may(wanted: Tool, caller: Caller) -> None:
    require(wanted, caller)


@pytest.mark.requirement("seed:gateway:new-tool-private")
def test_a_visitor_is_asked_to_sign_in() -> None:
    with pytest.raises(AuthenticationRequired):
        require(tool("b", "a"), ANONYMOUS)


@pytest.mark.parametrize("caller", [holder(), holder("a"), holder("b", "c")])
@pytest.mark.parametrize("public", [False, True])
def test_a_credential_without_the_scopes_is_denied_and_told_all_of_them(caller: Caller, public: bool) -> None:
    with pytest.raises(PermissionDenied) as refusal:
        require(tool("a", "b", public=public), caller)

    assert refusal.value.scopes == ("a", "b")


def test_a_caller_cannot_be_changed_and_does_not_show_the_secret() -> None:
    with pytest.raises(FrozenInstanceError):
        ADA.subject = "bob"  # type: ignore[misc]  # that it cannot be set is the point

    assert "minds_ada" not in repr(ADA) + str(ADA)
