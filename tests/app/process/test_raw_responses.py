"""What is said before any application sees a request."""

import pytest

from app.http.origin_policy import OriginRules
from app.process.http_protocol import RawResponses

RULES = OriginRules("https://mcp.example.com", "http://127.0.0.1:8000", ("https://claude.ai",))


@pytest.mark.security("OR-09")
@pytest.mark.parametrize("origin", [b"https://claude.ai", b"https://mcp.example.com"])
def test_a_page_that_may_call_may_read_why_it_was_refused(origin: bytes) -> None:
    answer = RawResponses(RULES).bad_request("why", [(b"x", b"y"), (b"origin", origin)])

    assert b"access-control-allow-origin: %s\r\n" % origin in answer
    assert b"vary: Origin\r\n" in answer
    assert answer.endswith(b"\r\n\r\nwhy")


@pytest.mark.security("OR-02", "OR-05")
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"origin", b"https://evil.example")],
        [(b"origin", b"null")],
        [(b"origin", b"\xff")],
        [(b"origin", b"https://claude.ai"), (b"origin", b"https://evil.example")],
    ],
)
def test_any_other_page_may_not(headers: list[tuple[bytes, bytes]]) -> None:
    answer = RawResponses(RULES).bad_request("why", headers)

    assert b"access-control-allow-origin" not in answer
    assert b"vary: Origin\r\n" in answer


@pytest.mark.security("HD-01")
@pytest.mark.parametrize("https", [True, False])
def test_the_headers_of_every_answer_are_on_these_too(https: bool) -> None:
    responses = RawResponses(RULES, https=https)

    for answer in (responses.bad_request("why", []), responses.full()):
        assert b"x-content-type-options: nosniff\r\n" in answer
        assert b"connection: close\r\n" in answer
        assert (b"strict-transport-security: max-age=" in answer) is https


def test_whoever_finds_no_room_is_told_when_to_come_back() -> None:
    answer = RawResponses(RULES).full()

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in answer
