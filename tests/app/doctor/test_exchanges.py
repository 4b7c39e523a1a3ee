"""Answers as data."""

import pytest

from app.doctor.exchanges import Exchange, Fault


def test_a_document_is_a_json_object_in_a_successful_whole_answer() -> None:
    body = b'{"a": 1}'

    assert Exchange("GET", "u", 200, body=body).document == {"a": 1}
    assert Exchange("GET", "u", 404, body=body).document is None
    assert Exchange("GET", "u", 200, body=body, fault=Fault.TOO_LARGE).document is None
    assert Exchange("GET", "u", 200, body=b"[1]").document is None


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_nothing(body: bytes) -> None:
    assert Exchange("GET", "u", 200, body=body).json is None


def test_headers_are_joined_and_media_types_are_bare() -> None:
    found = Exchange("GET", "u", 200, {"content-type": ("Text/HTML; charset=x",), "vary": ("a", "b")})

    assert (found.media_type, found.header("Vary"), found.header("x")) == ("text/html", "a, b", "")


def test_a_redirect_needs_an_address() -> None:
    assert Exchange("GET", "u", 302, {"location": ("/x",)}).redirects
    assert not Exchange("GET", "u", 304).redirects
    assert not Exchange("GET", "u").redirects


def test_an_error_is_its_word_or_nothing() -> None:
    assert Exchange("POST", "u", 400, body=b'{"error": "invalid_grant"}').error == "invalid_grant"
    assert Exchange("POST", "u", 400, body=b'{"error": {}}').error == ""


def test_a_body_is_not_in_the_representation() -> None:
    assert "s3cret" not in repr(Exchange("POST", "u", 200, body=b"s3cret"))
