"""JSON-RPC of both eras."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor import messages
from app.doctor.messages import LEGACY, MODERN

STREAM, JSON = "text/event-stream", "application/json"


def test_each_era_has_its_own_envelope() -> None:
    modern = messages.ask(MODERN, "tools/call", {"name": "count", "arguments": {}})
    legacy = messages.ask(LEGACY, "tools/list", session="s-1")

    assert (modern.headers["mcp-method"], modern.headers["mcp-name"]) == ("tools/call", "count")
    assert modern.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
    assert (legacy.headers["mcp-session-id"], "mcp-method" in legacy.headers) == ("s-1", False)
    assert "_meta" not in legacy.body["params"]


def test_the_handshake_ends_with_a_notification() -> None:
    assert messages.initialize().body["params"]["protocolVersion"] == LEGACY
    assert "id" not in messages.initialized("").body


def test_an_answer_is_read_from_json_and_from_a_stream() -> None:
    told = {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}
    before = b'data: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'
    event = b"event: message\r\ndata: " + json.dumps(told).encode() + b"\r\n\r\n"

    assert messages.result(json.dumps(told).encode(), JSON) == {"a": 1}
    assert messages.result(before + event, STREAM) == {"a": 1}
    assert messages.answer(before, STREAM) is None
    assert messages.answer(event[:-4], STREAM) is None


def test_an_error_has_its_code() -> None:
    assert messages.error_code(b'{"error": {"code": -32022}}', JSON) == -32022
    assert messages.error_code(b'{"error": "odd"}', JSON) is None
    assert messages.error_code(b'{"result": {}}', JSON) is None


READING = {"name": "count", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


@pytest.mark.parametrize(
    "changed",
    [
        {"annotations": {}},
        {"annotations": None},
        {"annotations": {"readOnlyHint": "true"}},
        {"inputSchema": {"required": ["id"]}},
        {"inputSchema": None},
        {"name": "two\r\nlines"},
        {"name": ""},
        {"name": 5},
    ],
)
def test_only_a_tool_that_reads_and_asks_nothing_is_called(changed: dict[str, Any]) -> None:
    assert messages.harmless_tool({"tools": [READING | changed]}) is None
    assert messages.harmless_tool({"tools": [READING | changed, READING]}) == "count"


@given(st.binary(), st.sampled_from([STREAM, JSON, ""]))
def test_any_body_has_an_answer(body: bytes, media_type: str) -> None:
    found = messages.answer(body, media_type)

    assert found is None or isinstance(found, dict)
