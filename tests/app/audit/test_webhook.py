"""Batches that are signed, and come again until they are acknowledged."""

import hmac

import httpx2
import pytest
from pydantic import SecretStr

from app.audit.webhook import SIGNATURE, WebhookSink, signature
from mcp_server.audit.sinks import SinkFailed
from mcp_server.upstream.addresses import AllowedHosts
from mcp_server.upstream.web import open_web
from tests.auditing import log_of

ROWS, SECRET, AT = list(log_of(2)), SecretStr("a secret that both sides know, and is long"), 1_700_000_000


def sink_to(answer: httpx2.Response | Exception, asked: list[httpx2.Request]) -> WebhookSink:
    def handle(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    web = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
    return WebhookSink(web, "https://siem.example/rows", SECRET, lambda: AT + 0.7)


async def test_a_batch_is_posted_as_lines_with_a_signature_that_can_be_checked() -> None:
    asked: list[httpx2.Request] = []
    sink = sink_to(httpx2.Response(204), asked)

    await sink.write(ROWS)
    await sink.aclose()

    (request,) = asked
    assert request.content.splitlines() == [row.line for row in ROWS]
    at, mark = (part.partition("=")[2] for part in request.headers[SIGNATURE].split(","))
    wanted = hmac.new(SECRET.get_secret_value().encode(), at.encode() + b"." + request.content, "sha256").hexdigest()
    assert (int(at), mark) == (AT, wanted)


@pytest.mark.parametrize(
    "answer", [httpx2.Response(500), httpx2.Response(404), httpx2.Response(302), httpx2.ConnectError("no")]
)
async def test_anything_but_an_acknowledgement_is_a_failure(answer: httpx2.Response | Exception) -> None:
    sink = sink_to(answer, [])

    with pytest.raises(SinkFailed):
        await sink.write(ROWS)
    await sink.aclose()


async def test_it_goes_by_the_guarded_way_out() -> None:
    sink = WebhookSink(open_web(AllowedHosts.parse("")), "http://127.0.0.1:9/rows", SECRET)

    with pytest.raises(SinkFailed, match="AddressRefused"):
        await sink.write(ROWS)
    await sink.aclose()


def test_the_time_is_signed_too() -> None:
    assert signature(SECRET, AT, b"x").partition("v1")[2] != signature(SECRET, AT + 1, b"x").partition("v1")[2]
