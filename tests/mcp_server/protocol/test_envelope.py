"""One body is one JSON-RPC message, or a refusal that says why."""

import contextlib

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import InvalidRequest, ParseError
from mcp_server.protocol.envelope import MAX_DEPTH, MAX_ID_LENGTH, Envelope, parse


def body(**members: object) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", **members})


def nested(depth: int) -> bytes:
    """A request that is `depth` containers deep, its own object and `params` included."""
    inner = b'{"a":' * (depth - 2) + b"1" + b"}" * (depth - 2)
    return b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"b":' + inner + b"}}"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (body(id=1, method="ping"), "request"),
        (body(id="a", method="ping", params={}), "request"),
        (body(method="notifications/initialized"), "notification"),
        (body(id=1, result={}), "response"),
        (body(id=1, error={"code": 1, "message": ""}), "response"),
        (body(id=None, error={"code": 1, "message": ""}), "response"),
    ],
)
def test_each_kind_of_message_is_known(raw: bytes, kind: str) -> None:
    assert parse(raw).kind == kind


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"nope", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": NaN}', b'"\\ud800"', b"{'a': 1}", b"[" * 100_000],
)
def test_what_is_no_json_is_a_parse_error(raw: bytes) -> None:
    with pytest.raises(ParseError):
        parse(raw)


@pytest.mark.parametrize(
    ("raw", "identity"),
    [
        *[(raw, None) for raw in (b"[]", b"1", b"null", b'"x"', b"{}", body(id=None, result={}))],
        *[(body(id=odd, method="x"), None) for odd in (None, True, 1.5, dict[str, int](), "x" * (MAX_ID_LENGTH + 1))],
        (body(id=None, method="x", error={}), None),
        (body(id=1, method=None), 1),
        (body(id=1, method="x", params="y"), 1),
        (nested(900), 1),
        (orjson.dumps({"jsonrpc": "1.0", "id": 11, "method": "ping"}), 11),
        (orjson.dumps({"id": "a", "method": "ping"}), "a"),
        (body(id=1), 1),
        (body(id=1, method=7), 1),
        (body(id=1, method="x", params=[1]), 1),
        (nested(MAX_DEPTH + 1), 1),
        (body(method=7), None),
        (body(id={"a": 1}, method="x"), None),
        (orjson.dumps({"jsonrpc": "1.0", "id": "x" * (MAX_ID_LENGTH + 1), "method": "x"}), None),
        (orjson.dumps({"jsonrpc": "1.0", "id": 5, "result": {}}), None),
        (orjson.dumps([{"jsonrpc": "2.0", "id": 9, "method": "ping"}]), None),
    ],
)
def test_json_that_is_no_single_message_is_refused_with_its_id_where_it_could_be_read(
    raw: bytes, identity: object
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse(raw)

    assert refused.value.request_id == identity


def test_depth_is_counted_by_nesting_and_not_by_brackets() -> None:
    wide = body(id=1, method="x", params={"list": [[] for _ in range(500)]})

    assert parse(wide).method == "x"
    assert parse(nested(MAX_DEPTH)).method == "x"


@pytest.mark.parametrize(
    ("params", "tool", "token"),
    [
        ({"name": "talk", "_meta": {"progressToken": 7}}, "talk", 7),
        ({"name": "talk", "_meta": {"progressToken": "t"}}, "talk", "t"),
        ({"name": 7, "_meta": {"progressToken": True}}, None, None),
        ({"_meta": {"progressToken": [1]}}, None, None),
        ({"_meta": "x"}, None, None),
        ({}, None, None),
    ],
)
def test_the_tool_and_the_progress_token_are_read_with_suspicion(
    params: dict[str, object], tool: str | None, token: object
) -> None:
    envelope = parse(body(id=1, method="tools/call", params=params))

    assert (envelope.tool_name, envelope.progress_token) == (tool, token)
    assert parse(body(id=1, method="tools/list", params=params)).tool_name is None  # only a call names a tool


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_no_body_does_more_than_refuse(raw: bytes) -> None:
    with contextlib.suppress(ParseError, InvalidRequest):
        assert isinstance(parse(raw), Envelope)
