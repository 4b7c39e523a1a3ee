"""Told to end: not ready at once, the port closed after the notice, and every answer the last of its connection."""

import asyncio
import signal
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from app.process.server import AcceptTracker
from app.process.shutdown import DRAIN, Drain
from tests.app.process.test_server import opened
from tests.edge import within


async def told(folder: Path, drain: Drain, *signals: signal.Signals, has_others: bool = False) -> bool:
    """Whether a server whose application has this drain ends at once when it hears the signals."""
    server, _ = await opened(folder, 0, AcceptTracker() if has_others else None)
    server.lifespan.state[DRAIN] = drain
    for number in signals:
        server.handle_exit(number, None)
    ends = server.should_exit
    if not ends and signals:
        async with asyncio.timeout(20):
            while not server.should_exit:  # noqa: ASYNC110  uvicorn looks at the flag in the same way
                await asyncio.sleep(0.01)
    await within(server.shutdown())
    return ends


@pytest.mark.parametrize(
    ("notice", "times", "at_once"), [(0.2, 1, False), (0, 1, True), (3600, 2, True)], ids=("notice", "none", "twice")
)
async def test_the_port_is_closed_after_the_notice_or_when_told_twice(
    tmp_path: Path, notice: float, times: int, *, at_once: bool
) -> None:
    drain = Drain(notice)

    ends = await told(tmp_path, drain, *[signal.SIGTERM] * times)

    assert (ends, drain.begun, drain.goes_alone) == (at_once, True, False)


async def test_a_worker_that_goes_alone_gives_no_notice_and_its_host_stays_ready(tmp_path: Path) -> None:
    drain, alone = Drain(3600), Drain(0.01)

    assert await told(tmp_path, drain, signal.SIGHUP, has_others=True)
    assert (drain.begun, drain.goes_alone) == (False, True)
    assert not await told(tmp_path, alone, signal.SIGHUP), "without others it ends as by SIGTERM"
    assert (alone.begun, alone.goes_alone) == (True, False)


async def test_a_process_that_is_still_opening_is_told_to_end(tmp_path: Path) -> None:
    drain = Drain()

    async def opening(scope: Scope, _receive: Receive, _send: Send) -> None:
        assert await told(tmp_path, scope["state"][DRAIN], signal.SIGTERM)

    await drain.around(opening)({"type": "lifespan", "state": {}}, _nothing, _nowhere)

    assert drain.begun


async def _nothing() -> Message:
    return {"type": "lifespan.startup"}


async def _nowhere(_message: Message) -> None: ...


@pytest.mark.parametrize("end", ["begun", "goes_alone"])
async def test_the_answers_of_an_ending_process_end_their_connections(end: str) -> None:
    drain = Drain()
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    transport = httpx2.ASGITransport(drain.around(app))

    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        before = await client.get("/")
        setattr(drain, end, True)
        after = await client.get("/")

    assert "connection" not in before.headers
    assert after.headers["connection"] == "close"
    assert after.text == "here"
