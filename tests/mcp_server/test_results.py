"""What a call came to, as the protocol's result."""

import json
import re
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import AuthenticationRequired, NotFound
from mcp_server.limits.decisions import Decision, Rule, WindowStats
from mcp_server.limits.headers import META
from mcp_server.results import CHALLENGES, challenged, failed, rendered, with_limits
from mcp_server.toolkit.answers import Answer, Enclosure
from mcp_server.toolkit.quotations import escaped_json
from tests.snapshots import PRESCRIBED, every_toolset
from tests.support import failure_of, text_of


def test_a_failure_begins_with_its_stable_word_and_has_it_as_content_too() -> None:
    result = failed(NotFound("panel", "pricng", closest=["pricing"]))

    assert text_of(result) == 'not_found: no panel named "pricng". Did you mean "pricing"?'
    assert failure_of(result)["code"] == "not_found"


def test_names_in_a_failure_are_shown_dead_and_kept_whole_beside_it() -> None:
    name = "![x](http://evil.example/p.png)"
    result = failed(NotFound("panel", "x", closest=[name]))

    assert text_of(result).endswith('Did you mean "x (image at evil.example)"?')
    assert (result.structured_content or {})["error"]["suggestions"] == [name]


class Made(Answer):
    """A file, and what somebody called it."""

    name: str

    def as_text(self) -> str:
        return f"{self.name}: {self.enclosures()[0].uri}"

    def enclosures(self) -> list[Enclosure]:
        return [Enclosure("https://minds.example/exports/1/a.csv?expires=1&signature=2", "a.csv", "text/csv", 1)]


def test_the_link_to_what_the_tool_has_made_is_the_only_one_that_works() -> None:
    result = rendered(Made(name="see https://evil.example"))

    assert isinstance(result, dict)
    assert result["content"][0]["text"] == f"see https: //evil.example: {Made(name='').enclosures()[0].uri}"
    assert result["structuredContent"] == {"name": "see https://evil.example"}


@given(st.text() | st.sampled_from(["![x](https://evil.example/p)", "[a]: http://e", "<img src=x>", "&lt; www.a.b"]))
def test_json_for_programs_says_the_same_and_nothing_in_it_loads(text: str) -> None:
    made = {"text": text, "url": "https://a.example/b?c=1&amp;d", text: [["x"], {"y": text}]}
    dead = escaped_json(json.dumps(made))

    assert json.loads(dead) == made
    assert "https://a.example/b?c=1" in dead
    assert re.search(r"!\[|\][(]|<[A-Za-z/!?]|&#?\w{1,31};", dead) is None


# fmt: off
OWN = {
    "ageSeconds", "answers", "answersOmitted", "approximate", "bytes", "completedAt", "createdAt", "cut", "demo",
    "done", "duplicate", "error", "estimate", "expiresAt", "failure", "fetchedAt", "fileName", "format", "groupId",
    "isComplete", "isRemembered", "knowledge", "left", "mediaType", "message", "nextStep", "omitted", "panelId",
    "partial", "path", "personas", "pollAfterMs", "progress", "progressEstimated", "project", "projects", "provenance",
    "publishedAt", "query", "questionId", "questions", "readyToChat", "resumed", "searchQuery", "skipped", "slug",
    "sparkId", "stage", "stale", "staleBecause", "startedAt", "status", "title", "total", "untrusted", "uri", "url",
    "value", "waiting",
}
# fmt: on
"""Members that are figures, ids, stable words and our own sentences."""


@pytest.mark.parametrize(
    "schema",
    [t.definition.output_schema for toolset in every_toolset() for t in toolset.tools if t.name not in PRESCRIBED],
)
def test_every_answer_names_what_others_wrote_in_it(schema: dict[str, Any]) -> None:
    members = schema["properties"]
    named = {path.removeprefix("$.") for path in members.get("untrusted", {"default": []})["default"]}

    assert named or "untrusted" not in members
    assert named <= set(members)
    assert set(members) - named <= OWN


def test_a_challenge_opens_the_hosts_sign_in() -> None:
    result = challenged(AuthenticationRequired(), 'Bearer resource_metadata="https://a.example"')

    assert result.is_error
    assert result.meta == {CHALLENGES: ['Bearer resource_metadata="https://a.example"']}


@pytest.mark.parametrize("meta", [None, {"mine": 1}])
def test_where_there_are_no_headers_the_figures_of_the_limit_go_beside_what_is_there(
    meta: dict[str, object] | None,
) -> None:
    charge = Decision(allowed=True, windows=(WindowStats(Rule("tools/call", 100, 60), 99, 60.0),))

    modelled = with_limits(types.CallToolResult(content=[], _meta=meta), charge)
    result = with_limits({"content": [], "_meta": meta}, charge)

    assert isinstance(modelled, types.CallToolResult)
    assert isinstance(result, dict)
    assert modelled.meta == result["_meta"] == {**(meta or {}), META: result["_meta"][META]}
    assert result["_meta"][META]["remaining"] == 99
    assert with_limits(result, None) is result
