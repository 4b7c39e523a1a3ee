"""Exact windows that processes share, on a real server."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.limits.redis_clients import Command, RedisConnection
from app.limits.redis_windows import RedisWindows, _arguments
from mcp_server.limits.decisions import Rule, StoreDown
from tests.processes import free_port
from tests.redis import Server, windows_at

TWO = (Rule("all", 1000, 60), Rule("tool", 100, 60))
SECOND = Rule("second", 5, 1)


@pytest.fixture
async def windows(shared: Server) -> AsyncIterator[RedisWindows]:
    windows = windows_at(shared.url)
    yield windows
    await windows.close()


def somebody() -> str:
    return f"subject:{uuid4()}"


async def test_several_processes_let_exactly_the_limit_in(shared: Server) -> None:
    processes, who = [windows_at(shared.url) for _ in range(3)], somebody()

    charges = await asyncio.gather(*(processes[number % 3].hit(who, TWO) for number in range(300)))
    for process in processes:
        await process.close()

    assert sum(charge.allowed for charge in charges) == 100
    assert sorted(charge.windows[1].remaining for charge in charges if charge.allowed) == list(range(100))
    assert {charge.windows[0].remaining for charge in charges if not charge.allowed} == {900}


@pytest.mark.security("RL-12")
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(0, 0.3), min_size=20, max_size=40))
async def test_no_window_holds_more_whenever_the_calls_come(windows: RedisWindows, pauses: list[float]) -> None:
    who, let_in = somebody(), list[tuple[float, float]]()

    for pause in pauses:
        await asyncio.sleep(pause / 4)
        asked = time.monotonic()
        if (await windows.hit(who, (SECOND,))).allowed:
            let_in.append((asked, time.monotonic()))

    # Counted somewhere between question and answer: of six in a row the whole span must reach beyond the window.
    spans = [last[1] - first[0] for first, last in zip(let_in, let_in[5:], strict=False)]
    assert all(span >= 1 for span in spans)


@pytest.mark.security("RL-02")
async def test_who_waits_as_told_is_let_in(windows: RedisWindows) -> None:
    who = somebody()
    for _ in range(5):
        await windows.hit(who, (SECOND,))

    refused = await windows.hit(who, (SECOND,), 2)
    free = time.monotonic() + refused.wait + 0.001
    while (left := free - time.monotonic()) > 0:  # noqa: ASYNC110  the window's end is a time and no event
        await asyncio.sleep(left)
    charge = await windows.hit(who, (SECOND,), 2)

    assert (refused.allowed, charge.allowed) == (False, True)
    assert 0 < refused.wait <= 1


async def test_a_refusal_of_one_window_charges_none_and_costs_are_units(windows: RedisWindows) -> None:
    who, wide, narrow = somebody(), Rule("wide", 10, 60), Rule("narrow", 5, 60)

    charges = [await windows.hit(who, (wide, narrow), cost) for cost in (3, 3, 2, 6)]

    assert [charge.allowed for charge in charges] == [True, False, True, False]
    assert [stats.remaining for stats in charges[-1].windows] == [5, 0]
    assert charges[-1].wait == 60


async def test_a_look_is_let_in_and_charges_nothing(windows: RedisWindows) -> None:
    who, few = somebody(), (Rule("few", 1, 60),)

    left = [(await windows.hit(who, few, cost)).tightest.remaining for cost in (0, 1, 0)]
    looked = await windows.hit(who, few, 0)

    assert left == [1, 0, 0]
    assert looked.allowed


@pytest.mark.security("RL-09")
async def test_no_character_of_a_name_reaches_another_window_or_the_server(
    windows: RedisWindows, shared: Server
) -> None:
    base, few = somebody(), (Rule("few", 2, 60),)
    names = [
        base,
        *(f"{base}{end}" for end in (":few:60", "}", "{x}", "*", " ", "\r\nFLUSHALL\r\n", "\0", "\udc80", "é" * 9000)),
    ]

    first = [(await windows.hit(name, few)).windows[0].remaining for name in names]
    keys = shared.command("KEYS", "*")

    assert first == [1] * len(names)
    assert all(key.startswith(b"limits:{") and len(key) < 64 for key in keys)


@pytest.mark.security("FI-04")
async def test_a_server_that_forgot_windows_and_script_goes_on_counting(windows: RedisWindows, shared: Server) -> None:
    who, few = somebody(), (Rule("few", 2, 60),)
    before = [(await windows.hit(who, few)).allowed for _ in range(3)]

    shared.command("SCRIPT", "FLUSH")
    shared.command("FLUSHALL")
    after = [(await windows.hit(who, few)).allowed for _ in range(3)]

    assert before == after == [True, True, False]


@pytest.mark.security("FI-16")
async def test_a_clock_that_is_set_back_shuts_no_window_for_good(windows: RedisWindows, shared: Server) -> None:
    who, few = somebody(), (Rule("few", 1, 60),)
    await windows.hit(who, few)
    (key,) = [part for part in _arguments(who, few, 1) if str(part).startswith("limits:")]
    shared.command("LSET", key, 0, int((time.time() + 3600) * 1_000_000))

    charges = [(await windows.hit(who, few)).allowed for _ in range(2)]

    assert charges == [True, False]


async def test_one_that_leaves_takes_nobody_along(windows: RedisWindows) -> None:
    who = somebody()
    leaving = asyncio.create_task(windows.hit(who, TWO))
    staying = asyncio.create_task(windows.hit(who, TWO))
    await asyncio.sleep(0)

    leaving.cancel()

    assert (await staying).allowed
    assert leaving.cancelled()


async def test_where_nobody_listens_it_is_said_at_once() -> None:
    windows = windows_at(f"redis://127.0.0.1:{free_port()}")

    with pytest.raises(StoreDown):
        await windows.probe(5)
    with pytest.raises(StoreDown):
        await windows.hit("a", TWO)
    await windows.close()


async def test_a_silent_server_is_waited_for_as_long_as_told_by_all_together(own: Server) -> None:
    windows = windows_at(own.url, 0.1)
    await windows.probe(5)
    own.freeze()

    started = time.monotonic()
    outcomes = await asyncio.gather(*(windows.hit("a", TWO) for _ in range(100)), return_exceptions=True)
    took = time.monotonic() - started
    await windows.close()

    assert {type(outcome) for outcome in outcomes} == {StoreDown}
    assert took < 3


@asynccontextmanager
async def busy(seconds: float) -> AsyncIterator[None]:
    """A neighbour on the loop that makes each of its turns take so long."""

    async def hog() -> None:
        while True:
            time.sleep(seconds)  # noqa: ASYNC251  this is what it is here for
            await asyncio.sleep(0)

    task = asyncio.create_task(hog())
    yield
    task.cancel()


@pytest.mark.security("RL-10")
async def test_a_loop_that_is_late_is_not_a_redis_that_is_silent(shared: Server) -> None:
    windows, fresh, who = windows_at(shared.url, 0.01), windows_at(shared.url, 0.01), somebody()
    await windows.probe(5)

    async with busy(0.015):
        charges = await asyncio.gather(*(windows.hit(who, TWO) for _ in range(200)))
        first = await fresh.hit(who, TWO)  # the connection is opened by it, too
    for opened in (windows, fresh):
        await opened.close()

    assert sum(charge.allowed for charge in charges) == 100
    assert not first.allowed


@pytest.mark.security("RL-10")
@pytest.mark.parametrize("stops", [1, 2])
async def test_time_in_which_this_process_did_not_run_is_not_time_in_which_redis_was_silent(stops: int) -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    class OverSocket(RedisConnection):
        """A connection to a server that the test answers for."""

        def __init__(self) -> None:
            """Without a client."""

        async def run(self, commands: Sequence[Command]) -> list[Any]:
            del commands
            await asyncio.get_running_loop().sock_recv(ours, 1)
            return [[1, 0, 4, 0]]

        async def close(self) -> None:
            """Nothing is kept."""

    windows = RedisWindows(OverSocket, patience=0.08)
    asked = asyncio.create_task(windows.hit("a", (SECOND,)))
    for _ in range(stops):
        await asyncio.sleep(0.005)
        time.sleep(0.1)  # noqa: ASYNC251  as a process that is stopped for longer than its patience
    asyncio.get_running_loop().call_later(0.01, theirs.send, b"!")

    with ours, theirs:
        assert (await asked).tightest.remaining == 4


async def test_a_loop_that_is_late_gives_a_frozen_server_up_all_the_same(own: Server) -> None:
    windows = windows_at(own.url, 0.01)
    await windows.probe(5)
    own.freeze()

    async with busy(0.015), asyncio.timeout(60):
        with pytest.raises(StoreDown, match="silent"):
            await windows.hit("a", TWO)
    await windows.close()


async def test_an_answer_that_comes_too_late_is_nobody_elses(own: Server) -> None:
    windows = windows_at(own.url, 0.1)
    await windows.probe(5)
    own.freeze()
    with pytest.raises(StoreDown):
        await windows.hit("late", (Rule("late", 7, 60),))
    own.thaw()

    await windows.probe(5)
    charge = await windows.hit("next", (Rule("next", 5, 60),))
    await windows.close()

    assert charge.windows[0].remaining == 4
