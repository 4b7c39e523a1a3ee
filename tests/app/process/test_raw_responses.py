"""What is said before any application sees a request."""

import pytest

from app.process.http_protocol import raw_response


@pytest.mark.security("HD-01")
@pytest.mark.parametrize("https", [True, False])
def test_the_headers_of_every_answer_are_on_these_too(https: bool) -> None:
    answer = raw_response(b"400 Bad Request", b"why", https=https)

    assert b"x-content-type-options: nosniff\r\n" in answer
    assert b"connection: close\r\n" in answer
    assert (b"strict-transport-security: max-age=" in answer) is https
    assert answer.endswith(b"\r\n\r\nwhy")


def test_whoever_finds_no_room_is_told_when_to_come_back() -> None:
    answer = raw_response(b"503 Service Unavailable", b"full", https=False)

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in answer
