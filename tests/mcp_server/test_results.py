"""What a call came to, as the protocol's result."""

import mcp_types as types
import pytest

from mcp_server.errors import AuthenticationRequired, NotFound
from mcp_server.limits.decisions import Decision, Rule, WindowStats
from mcp_server.limits.headers import META
from mcp_server.results import CHALLENGES, challenged, failed, with_limits


def test_a_failure_begins_with_its_stable_word_and_has_it_as_content_too() -> None:
    result = failed(NotFound("panel", "pricng", closest=["pricing"]))

    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    assert result.content[0].text == 'not_found: no panel named "pricng". Did you mean "pricing"?'
    assert result.structured_content is not None
    assert result.structured_content["error"]["code"] == "not_found"


def test_a_challenge_opens_the_hosts_sign_in() -> None:
    result = challenged(AuthenticationRequired(), 'Bearer resource_metadata="https://a.example"')

    assert result.is_error
    assert result.meta == {CHALLENGES: ['Bearer resource_metadata="https://a.example"']}


@pytest.mark.parametrize("meta", [None, {"mine": 1}])
def test_where_there_are_no_headers_the_figures_of_the_limit_go_beside_what_is_there(
    meta: dict[str, object] | None,
) -> None:
    charge = Decision(allowed=True, windows=(WindowStats(Rule("tools/call", 100, 60), 99, 60.0),))

    result = with_limits(types.CallToolResult(content=[], _meta=meta), charge)

    assert result.meta is not None
    assert result.meta == {**(meta or {}), META: result.meta[META]}
    assert result.meta[META]["remaining"] == 99
    assert with_limits(result, None) is result
