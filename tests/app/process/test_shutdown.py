"""Told to end: not ready at once, the port closed after the notice, and every answer the last of its connection."""

import asyncio
import os
import signal
from collections.abc import Iterator

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from app.process.shutdown import Drain
from tests.edge import within


@pytest.fixture
def told() -> Iterator[asyncio.Queue[int]]:
    """What a server's own handler of SIGTERM was told."""
    queue: asyncio.Queue[int] = asyncio.Queue()
    before = signal.signal(signal.SIGTERM, lambda number, _frame: queue.put_nowait(number))
    yield queue
    signal.signal(signal.SIGTERM, before)


async def test_the_signal_is_passed_on_after_the_notice(told: asyncio.Queue[int]) -> None:
    drain = Drain(0.2)

    with drain.listening():
        before = drain.begun
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0)
        at_once = (drain.begun, told.empty())
        passed_on = await within(told.get())

    assert (before, at_once, passed_on) == (False, (True, True), signal.SIGTERM)


async def test_a_process_that_is_told_to_end_while_it_is_still_opening_knows_it(told: asyncio.Queue[int]) -> None:
    drain = Drain()

    async def opening(_scope: Scope, receive: Receive, send: Send) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await within(told.get())

    await drain.around(opening)({"type": "lifespan"}, _nothing, _nowhere)

    assert drain.begun


async def _nothing() -> Message:
    return {"type": "lifespan.startup"}


async def _nowhere(_message: Message) -> None: ...


@pytest.mark.parametrize("notice", [0, 3600])
async def test_without_a_notice_or_told_twice_it_does_not_wait(told: asyncio.Queue[int], notice: float) -> None:
    drain = Drain(notice)

    with drain.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        if notice:
            os.kill(os.getpid(), signal.SIGTERM)
        passed_on = await within(told.get())

    assert passed_on == signal.SIGTERM
    assert told.empty()


async def test_a_process_without_others_leaves_the_signal_to_its_server() -> None:
    before = signal.signal(signal.SIGHUP, server := lambda _number, _frame: None)
    drain = Drain(has_others=False)

    with drain.listening():
        meanwhile = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, before)

    assert (meanwhile, drain.goes_alone) == (server, False)


async def test_a_worker_that_goes_alone_gives_no_notice_and_its_host_stays_ready() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, _frame: told.append(number))
    drain = Drain(3600)
    app = drain.around(Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))]))

    with drain.listening():
        os.kill(os.getpid(), signal.SIGHUP)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://a") as client:
            answer = await client.get("/")
    signal.signal(signal.SIGHUP, before)

    assert (told, drain.begun, drain.goes_alone) == ([signal.SIGHUP], False, True)
    assert answer.headers["connection"] == "close"


async def test_afterwards_the_signal_is_the_servers_again(told: asyncio.Queue[int]) -> None:
    own = signal.getsignal(signal.SIGTERM)

    with Drain(1).listening():
        between = signal.getsignal(signal.SIGTERM)

    assert between is not own
    assert signal.getsignal(signal.SIGTERM) is own
    assert told.empty()


async def test_where_nobody_handles_the_signal_it_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with Drain(1).listening():
        assert signal.getsignal(signal.SIGTERM) is before


async def test_the_answers_of_an_ending_process_end_their_connections() -> None:
    drain = Drain()
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    transport = httpx2.ASGITransport(drain.around(app))

    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        before = await client.get("/")
        drain.begun = True
        after = await client.get("/")

    assert "connection" not in before.headers
    assert after.headers["connection"] == "close"
    assert after.text == "here"
