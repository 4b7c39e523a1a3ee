"""A body's time and size on every route that reads one, whoever reads it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.testing import capture_logs

from app.http.body import LARGEST, MAX_FORM, MIN_RATE, UNREAD, BodyMiddleware, TimedBody, read_json
from app.http.refusals import PAGE, RequestTimeout
from mcp_server.errors import ParseError
from mcp_server.protocol.envelope import BodyTooLarge
from mcp_server.request_context import RequestContext, RequestHeaders, current_context
from tests.edge import BOTH_TYPES, Edge, make_keys, running, settings_for, within
from tests.support import ALL_SCOPES

ORIGIN = "https://claude.ai"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
READERS = [
    ("/mcp", JSON),
    ("/oauth/token", FORM),
    ("/oauth/register", JSON),
    ("/oauth/revoke", FORM),
    ("/oauth/introspect", FORM),
    ("/oauth/device_authorization", FORM),
    ("/oauth/authorize", FORM),
    ("/oauth/consent", FORM),
    ("/oauth/device", FORM),
    ("/oauth/login", FORM),
    ("/oauth/logout", FORM),
    ("/account/keys", FORM),
    ("/api/v1/minds", JSON),
    ("/api/v1/minds/11111111-1111-4111-8111-111111111111/completion", JSON),
    ("/api/v1/audiences", JSON),
]


@pytest.fixture(scope="module")
async def impatient(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Edge, str]]:
    settings = settings_for(tmp_path_factory.mktemp("body"), body_seconds=0.1)
    key, _ = await make_keys(settings, ALL_SCOPES)
    async with running(settings) as edge:
        yield edge, key


async def never() -> AsyncIterator[bytes]:
    yield b"{"
    await asyncio.Future()


@pytest.mark.security("OR-09", "RE-02")
@pytest.mark.parametrize(("path", "kind"), READERS)
async def test_no_route_waits_for_a_body_that_does_not_come(impatient: tuple[Edge, str], path: str, kind: str) -> None:
    edge, key = impatient
    headers = {"content-type": kind, "accept": BOTH_TYPES, "authorization": f"Bearer {key}", "origin": ORIGIN}

    with capture_logs() as lines:
        response = await within(edge.client.post(path, headers=headers, content=never()))

    assert response.status_code == 408
    assert response.headers["connection"] == "close"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert PAGE.match(path) or response.headers["access-control-allow-origin"] == ORIGIN
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/register", "/oauth/login", "/account/keys", "/nope"])
@pytest.mark.parametrize("declared", [True, False])
async def test_a_form_of_megabytes_is_too_large_wherever_it_goes(
    impatient: tuple[Edge, str], path: str, *, declared: bool
) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(MAX_FORM // 1_024 + 1):
            yield b"a" * 1_024

    content: Any = b"a" * (MAX_FORM + 1) if declared else parts()

    response = await impatient[0].client.post(path, headers={"content-type": FORM}, content=content)

    assert response.status_code == 413
    assert "jsonrpc" not in response.text


@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/api/v1/minds"])
async def test_a_body_that_breaks_off_is_nobodys_fault(impatient: tuple[Edge, str], path: str) -> None:
    edge, key = impatient
    sent: list[Message] = []

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", JSON.encode()), (b"content-length", b"9")]
    headers.append((b"authorization", f"Bearer {key}".encode()))
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": headers,
        "root_path": "", "client": ("127.0.0.1", 1),
    }  # fmt: skip

    with capture_logs() as lines:
        await edge.app(scope, gone, send)

    assert sent[0]["status"] == 400
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    raise BodyTooLarge


async def unreached(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError(scope)


def timed(app: ASGIApp, *, seconds: float) -> ASGIApp:
    """The middleware, within what the one before it makes."""
    body = BodyMiddleware(app, seconds=seconds)

    async def within_context(scope: Scope, receive: Receive, send: Send) -> None:
        token = current_context.set(RequestContext("", RequestHeaders(scope["headers"])))
        try:
            await body(scope, receive, send)
        finally:
            current_context.reset(token)

    return within_context


def through(app: Any, seconds: float = 0.1) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(timed(app, seconds=seconds))
    return httpx2.AsyncClient(transport=transport, base_url="http://a")


async def test_once_the_body_is_there_nothing_is_late() -> None:
    async def thoughtful(scope: Scope, receive: Receive, send: Send) -> None:
        assert await Request(scope, receive).body() == b"all of it"
        waiting: asyncio.Future[Message] = asyncio.ensure_future(receive())
        await asyncio.wait({waiting}, timeout=0.15)
        waiting.cancel()
        await Response("an answer")(scope, receive, send)

    async with through(thoughtful, seconds=0.05) as client:
        response = await client.post("/mcp", content=b"all of it")

    assert response.text == "an answer"


async def test_a_fault_of_the_route_stays_one() -> None:
    async def torn(scope: Scope, receive: Receive, send: Send) -> None:
        raise ClientDisconnect

    with pytest.raises(ClientDisconnect):
        async with through(torn) as client:
            await client.post("/mcp", content=b"x")


async def test_a_large_body_has_a_second_more_for_each_part_that_comes() -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": b" " * MIN_RATE * 5, "more_body": True}

    arriving = TimedBody(receive, before := asyncio.get_running_loop().time() + 1)

    await arriving.receive()

    assert arriving.deadline == before + 5


async def test_what_was_gathered_is_replayed_before_the_real_thing() -> None:
    messages: list[Message] = [{"type": "http.request", "body": b"body"}, {"type": "http.disconnect"}]
    seen: list[Message] = []

    async def twice(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend([await receive(), await receive()])

    async def receive() -> Message:
        return messages.pop(0)

    scope = {"type": "http", "path": "/oauth/token", "headers": [(b"content-length", b"4")]}
    await timed(twice, seconds=5)(scope, receive, None)  # type: ignore[arg-type]  # never called

    assert (seen[0]["body"], seen[1]["type"]) == (b"body", "http.disconnect")


@pytest.mark.security("RE-02")
async def test_a_byte_a_second_ends_at_the_deadline_however_long_it_has_dripped() -> None:
    async def drip() -> Message:
        await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    scope = {"type": "http", "path": "/oauth/token", "headers": [(b"transfer-encoding", b"chunked")]}
    with pytest.raises(RequestTimeout):
        await within(timed(unreached, seconds=0.1)(scope, drip, None))  # type: ignore[arg-type]  # never called


@pytest.mark.parametrize(
    ("declared", "expected", "reads"),
    [
        (UNREAD, "", 0),
        (UNREAD + 1, "", 3),
        (UNREAD + 1, "100-continue", 0),  # it waits for leave to send, and is not given it
        (LARGEST + 1, "", 0),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/api/v1/minds"])
async def test_a_large_body_goes_by_before_its_sender_is_refused(
    path: str, declared: int, expected: str, reads: int
) -> None:
    seen: list[Message] = []

    async def receive() -> Message:
        seen.append({"type": "http.request", "body": b"x", "more_body": len(seen) < 2})
        return seen[-1]

    headers = [(b"content-length", str(declared).encode()), (b"expect", expected.encode())]
    with pytest.raises(BodyTooLarge):
        await timed(refuse, seconds=60)({"type": "http", "path": path, "headers": headers}, receive, None)  # type: ignore[arg-type]  # never called

    assert len(seen) == reads


@pytest.mark.security("RE-02")
async def test_a_large_body_that_never_ends_is_not_waited_for() -> None:
    async def endless() -> Message:
        await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=0.01)
        return {"type": "http.request", "body": b"x" * MIN_RATE, "more_body": True}

    scope = {"type": "http", "path": "/mcp", "headers": [(b"content-length", str(LARGEST).encode())]}
    with pytest.raises(BodyTooLarge):
        await within(timed(refuse, seconds=0.1)(scope, endless, None))  # type: ignore[arg-type]  # never called


@pytest.mark.parametrize("declared", ["²", "9" * 5_000, "-1", "1e3", ""])
async def test_a_length_that_no_server_would_pass_on_does_no_harm(declared: str) -> None:
    with pytest.raises(BodyTooLarge, match=r"at most [\d,]+ bytes"):
        await read([{"type": "http.request", "body": b" " * 2_000, "more_body": False}], declared)


async def test_a_body_that_breaks_off_is_not_executed_even_if_what_came_is_a_whole_request() -> None:
    whole = {"type": "http.request", "body": b'{"jsonrpc":"2.0","id":1,"method":"ping"}', "more_body": True}

    with pytest.raises(ParseError):
        await read([whole, {"type": "http.disconnect"}])


async def read(messages: list[Message], declared: str = "") -> bytes:
    async def receive() -> Message:
        return messages.pop(0)

    body = TimedBody(receive, asyncio.get_running_loop().time() + 60)
    return await read_json(Headers({"content-type": JSON, "content-length": declared}), body.receive, 1_024)
