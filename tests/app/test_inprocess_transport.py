"""The embedded API is reached in process: whole requests, streamed answers, and the ends of both sides."""

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs

from app import embedded
from app.composition import Parts
from app.embedded import InProcessTransport
from tests.edge import running, settings_for, within

caller: ContextVar[str] = ContextVar("caller", default="nobody")


@pytest.fixture
def go_on() -> asyncio.Event:
    return asyncio.Event()


async def told(request: Request) -> JSONResponse:
    body = (await request.body()).decode()
    return JSONResponse({"query": request.url.query, "body": body, "caller": caller.get(), "at": request.url.path})


@pytest.fixture
def transport(go_on: asyncio.Event) -> InProcessTransport:
    async def parts() -> AsyncIterator[str]:
        yield "one"
        await go_on.wait()
        yield "two"

    async def streamed(_: Request) -> StreamingResponse:
        return StreamingResponse(parts())

    async def silent(_scope: Scope, _receive: Receive, _send: Send) -> None:
        """Ends and has said nothing."""

    async def broken(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    async def left(_scope: Scope, receive: Receive, _send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        go_on.set()

    routes = [Route("/told", told, methods=["POST"]), Route("/streamed", streamed)]
    routes += [Route(f"/{app.__name__}", _Asgi(app)) for app in (silent, broken, left)]
    return InProcessTransport(Starlette(routes=routes))


@pytest.fixture
async def web(transport: InProcessTransport) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


class _Asgi:
    """An application, and not a function of a request."""

    def __init__(self, app: object) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)  # type: ignore[operator]  # one of those above


async def test_a_request_arrives_whole_and_the_callers_context_does_not(web: httpx2.AsyncClient) -> None:
    caller.set("ada")

    answer = await web.post("/told?a=b", content=b"words")

    assert answer.json() == {"query": "a=b", "body": "words", "caller": "nobody", "at": "/told"}


async def test_an_answer_comes_as_it_is_made(web: httpx2.AsyncClient, go_on: asyncio.Event) -> None:
    async with web.stream("GET", "/streamed") as answer:
        parts = answer.aiter_text()
        first = await within(anext(parts))
        go_on.set()
        second = await within(anext(parts))

    assert (first, second) == ("one", "two")


@pytest.mark.parametrize("path", ["/silent", "/broken"])
async def test_an_application_that_does_not_end_its_answer_is_a_broken_connection(
    web: httpx2.AsyncClient, path: str
) -> None:
    with capture_logs() as lines, pytest.raises(httpx2.RemoteProtocolError):
        await web.get(path)

    assert [line["event"] for line in lines] == (["inprocess_application_failed"] if path == "/broken" else [])


async def test_who_is_cancelled_has_disconnected(web: httpx2.AsyncClient, go_on: asyncio.Event) -> None:
    asked = asyncio.create_task(web.get("/left"))
    await asyncio.sleep(0)  # it is asked, and nobody answers
    await asyncio.sleep(0)

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    await within(go_on.wait())


async def test_who_stops_reading_a_stream_ends_it(web: httpx2.AsyncClient, transport: InProcessTransport) -> None:
    async with web.stream("GET", "/streamed") as answer:
        await within(anext(answer.aiter_text()))

    await within(transport.aclose())

    assert not transport._running


async def test_at_the_end_what_still_runs_is_waited_for_and_then_cancelled(
    transport: InProcessTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "ENDING_SECONDS", 0.01)
    answer = await transport.handle_async_request(httpx2.Request("GET", "http://a/streamed"))

    await within(transport.aclose())

    with pytest.raises(httpx2.RemoteProtocolError):
        await within(answer.aread())


async def test_a_call_of_a_tool_is_one_request_with_one_line_in_the_log(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), Parts()) as edge:
        with capture_logs() as lines:
            called = await edge.call("list_my_ai_personas", key=edge.key)

    assert called.json()["result"]["isError"] is False
    assert [line["path"] for line in lines if line["event"] == "request"] == ["/mcp"]
