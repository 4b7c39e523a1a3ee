"""The embedded API is reached over HTTP, and without it once the port is about to close."""

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

from app.factory import Parts
from app.inprocess_transport import OwnWay
from app.process.shutdown import Drain
from tests.edge import running, settings_for, within

caller: ContextVar[str] = ContextVar("caller", default="nobody")


@pytest.fixture
def drain() -> Drain:
    return Drain()


@pytest.fixture
def go_on() -> asyncio.Event:
    return asyncio.Event()


async def told(request: Request) -> JSONResponse:
    body = (await request.body()).decode()
    return JSONResponse({"query": request.url.query, "body": body, "caller": caller.get(), "at": request.url.path})


async def refused(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("refused", request=request)


@pytest.fixture
async def web(drain: Drain, go_on: asyncio.Event) -> AsyncIterator[httpx2.AsyncClient]:
    """A client whose network refuses every connection."""

    async def parts() -> AsyncIterator[str]:
        yield "one"
        await go_on.wait()
        yield "two"

    async def streamed(_: Request) -> StreamingResponse:
        return StreamingResponse(parts())

    async def silent(_scope: Scope, _receive: Receive, _send: Send) -> None:
        """Ends and has said nothing."""

    async def left(_scope: Scope, receive: Receive, _send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        go_on.set()

    routes = [Route("/told", told, methods=["POST"]), Route("/streamed", streamed)]
    app = Starlette(routes=[*routes, Route("/silent", _Asgi(silent)), Route("/left", _Asgi(left))])
    way = OwnWay(httpx2.MockTransport(refused), drain)
    way.lead_to(app)
    async with httpx2.AsyncClient(transport=way, base_url="http://127.0.0.1:8000") as client:
        yield client


class _Asgi:
    """An application, and not a function of a request."""

    def __init__(self, app: object) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)  # type: ignore[operator]  # one of the two above


async def test_before_the_end_a_refused_connection_is_a_refused_connection(web: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ConnectError):
        await web.post("/told")


async def test_after_it_has_begun_the_request_arrives_whole_and_the_callers_context_does_not(
    web: httpx2.AsyncClient, drain: Drain
) -> None:
    drain.begun = True
    caller.set("ada")

    answer = await web.post("/told?a=b", content=b"words")

    assert answer.json() == {"query": "a=b", "body": "words", "caller": "nobody", "at": "/told"}


async def test_a_connection_that_is_refused_because_the_end_began_meanwhile_is_not_needed(drain: Drain) -> None:
    async def ending(request: httpx2.Request) -> httpx2.Response:
        drain.begun = True
        raise httpx2.ConnectError("refused", request=request)

    way = OwnWay(httpx2.MockTransport(ending), drain)
    way.lead_to(Starlette(routes=[Route("/told", told, methods=["POST"])]))
    async with httpx2.AsyncClient(transport=way, base_url="http://a") as client:
        assert (await client.post("/told")).status_code == 200


async def test_an_answer_comes_as_it_is_made(web: httpx2.AsyncClient, drain: Drain, go_on: asyncio.Event) -> None:
    drain.begun = True

    async with web.stream("GET", "/streamed") as answer:
        parts = answer.aiter_text()
        first = await within(anext(parts))
        go_on.set()
        second = await within(anext(parts))

    assert (first, second) == ("one", "two")


async def test_an_application_that_says_nothing_is_a_broken_connection(web: httpx2.AsyncClient, drain: Drain) -> None:
    drain.begun = True

    with pytest.raises(httpx2.RemoteProtocolError):
        await web.get("/silent")


async def test_whoever_gives_up_has_hung_up(web: httpx2.AsyncClient, drain: Drain, go_on: asyncio.Event) -> None:
    drain.begun = True
    asked = asyncio.create_task(web.get("/left"))
    await asyncio.sleep(0)  # it is asked, and nobody answers
    await asyncio.sleep(0)

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    await within(go_on.wait())


@pytest.mark.security("FI-11")
async def test_a_call_of_a_process_whose_port_is_closed_still_reaches_the_api(tmp_path: Path) -> None:
    drain = Drain()

    async with running(settings_for(tmp_path), Parts(transport=httpx2.MockTransport(refused), drain=drain)) as edge:
        before = await edge.call("list_my_ai_personas", key=edge.key)
        drain.begun = True
        after = await edge.call("list_my_ai_personas", key=edge.key)

    assert before.status_code == 503
    assert after.json()["result"]["isError"] is False
