"""Answers of strangers as data: any bytes have a reading."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor.exchanges import Exchange, Fault, rpc_response
from app.doctor.observations import Discovery
from tests.app.doctor.examples import RESOURCE, SERVER, URL, answer, endpoint, refusal, result

STREAM, JSON = "text/event-stream", "application/json"
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)


def test_a_document_is_a_json_object_in_a_successful_whole_answer() -> None:
    body = b'{"a": "1", "b": ["2", 3]}'
    whole = Exchange("GET", "u", 200, body=body)

    assert (whole.text("a"), whole.text("b"), whole.texts("b"), whole.texts("a")) == ("1", "", ("2",), ())
    assert Exchange("GET", "u", 404, body=body).document == {}
    assert Exchange("GET", "u", 200, body=body, fault=Fault.TOO_LARGE).document == {}
    assert Exchange("GET", "u", 200, body=b"[1]").document == {}
    for unreadable in (b"", b"<html>", b"\xff", b"[" * 100_000):
        assert Exchange("GET", "u", 200, body=unreadable).json is None
    assert "s3cret" not in repr(Exchange("POST", "u", 200, body=b"s3cret"))


def test_headers_are_joined_media_types_are_bare_and_a_redirect_needs_an_address() -> None:
    headers = httpx2.Headers([("content-type", "Text/HTML; charset=x"), ("vary", "a"), ("vary", "b")])
    found = Exchange("GET", "u", 200, headers)

    assert (found.media_type, found.header("Vary"), found.header("x")) == ("text/html", "a, b", "")
    assert answer(302, location="/x").redirects
    assert not Exchange("GET", "u", 304).redirects
    assert not Exchange("GET", "u").redirects


def test_an_error_is_its_word_or_nothing() -> None:
    assert answer(400, {"error": "invalid_grant"}).error == "invalid_grant"
    assert answer(400, {"error": {}}).error == ""
    assert answer(400, {"error": {"code": -32022}}).summary == "status 400, application/json, error `-32022`"
    assert answer(400, {"error": "odd"}).summary == "status 400, application/json, error `odd`"
    assert result().summary == "status 200, application/json"


def test_a_response_is_read_from_json_and_from_a_stream() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}
    before = b'data: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'
    event = b"event: message\r\ndata: " + json.dumps(response).encode() + b"\r\n\r\n"

    assert answer(200, response).rpc_result == {"a": 1}
    assert rpc_response(before + event, STREAM) == response
    assert rpc_response(before, STREAM) is None
    assert rpc_response(event[:-4], STREAM) is None


@given(st.binary(), st.sampled_from([STREAM, JSON, ""]))
def test_any_body_has_an_answer(body: bytes, media_type: str) -> None:
    found = rpc_response(body, media_type)

    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", {}),
        ('Basic realm="x"', {}),
        ("Bearer", {}),
        ('Bearer resource_metadata="https://a/b", scope="x y"', {"resource_metadata": "https://a/b", "scope": "x y"}),
        ("bearer ERROR=invalid_token", {"error": "invalid_token"}),
        (r'Bearer realm="a \"b\", c"', {"realm": 'a "b", c'}),
        ('Basic realm="x", Bearer scope="y", Digest scope="z"', {"scope": "y"}),
        ('Bearer scope="first", scope="second"', {"scope": "first"}),
    ],
)
def test_the_bearer_challenge_is_found_among_others(header: str, found: dict[str, str]) -> None:
    assert refusal(header).bearer_challenge == found


@given(st.text())
def test_any_challenge_has_an_answer(header: str) -> None:
    assert isinstance(refusal(header).bearer_challenge, dict)


def test_the_first_401_is_the_challenge() -> None:
    found = endpoint(discover=result(), initialize=refusal('Bearer scope="one"'), forged=refusal('Bearer scope="two"'))

    assert found.parameters == {"scope": "one"}
    assert endpoint(discover=result(), initialize=result(), forged=result()).parameters == {}


def test_the_first_place_with_a_document_counts() -> None:
    one, other = answer(200, RESOURCE | {"resource": "one"}), answer(200, RESOURCE | {"resource": "other"})

    assert Discovery(URL, {"root": other, "path": one, "challenge": answer(404)}).resource_metadata is one
    assert Discovery(URL, server=(answer(404), answer(200, {"unrelated": 1}))).server_metadata.document == {}


@given(st.dictionaries(st.sampled_from([*RESOURCE, *SERVER]), ODD))
def test_a_member_of_the_wrong_type_counts_as_absent(members: dict[str, Any]) -> None:
    found = answer(200, members)

    assert all(isinstance(found.text(name), str) for name in members)
    assert all(isinstance(one, str) for name in members for one in found.texts(name))
