"""A resource in every spelling that clients send is one resource; anything else is refused."""

import pytest

from oauth.errors import InvalidTarget
from oauth.primitives.resources import chosen

MCP = "https://minds.example/mcp"
API = "https://minds.example/api/v1"
OURS = (MCP, API)


@pytest.mark.parametrize(
    "spelling",
    [
        None,
        MCP,
        f"{MCP}/",
        "HTTPS://Minds.Example/mcp",
        "https://minds.example:443/mcp",
        "https://minds.example",
        "https://minds.example/",
    ],
)
def test_the_endpoint_is_meant_by_each_of_its_spellings_its_origin_and_silence(spelling: str | None) -> None:
    assert chosen(spelling, OURS) == MCP


@pytest.mark.parametrize(
    "foreign",
    [
        "https://evil.example/mcp",
        "https://minds.example.evil.example/mcp",
        "http://minds.example/mcp",
        "https://minds.example:8443/mcp",
        "https://minds.example/MCP",
        "https://minds.example/mcp/x",
        "https://minds.example/mcp?x=1",
        "https://minds.example/mcp?",
        "https://minds.example/mcp#x",
        "https://minds.example/mcp#",
        "https://user@minds.example/mcp",
        "https://minds.example:99999/mcp",
        "https://minds.example\\mcp",
        "https://minds.example/\nmcp",
        "https://[::1/mcp",
        "//minds.example/mcp",
        "/mcp",
        "urn:minds",
        "https://mïnds.example/mcp",
    ],
)
def test_no_token_is_for_anything_else(foreign: str) -> None:
    with pytest.raises(InvalidTarget):
        chosen(foreign, OURS)
