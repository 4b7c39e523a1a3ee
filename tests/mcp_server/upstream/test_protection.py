"""The order of what stands before a call: its deadline, its breaker, its place; and who is refused does not wait."""

import asyncio

import pytest

from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.upstream.breaker import BreakerOpen
from mcp_server.upstream.bulkhead import Full
from mcp_server.upstream.deadline import Deadline, DeadlinePassed, current_deadline
from mcp_server.upstream.protection import Operation, Protection
from tests.edge import within
from tests.support import ADA, BOB, settings


def protection(changes: list[tuple[str, str, str]] | None = None, **values: float) -> Protection:
    heard = changes if changes is not None else []
    return Protection("api.test", settings(**values), lambda *change: heard.append(change))


async def fault(guarded: Protection, operation: Operation) -> None:
    with pytest.raises(ConnectionError):
        async with guarded.attempt(operation, 5):
            raise ConnectionResetError


async def test_every_operation_has_its_own_breaker_and_time() -> None:
    guarded = protection(timeout_chat=7)

    assert set(guarded.breakers) == set(guarded.seconds) == set(Operation)
    assert guarded.seconds[Operation.ASK] == guarded.seconds[Operation.CHAT] == 7
    assert len({id(breaker) for breaker in guarded.breakers.values()}) == len(Operation)


async def test_each_change_of_a_breaker_is_told() -> None:
    changes: list[tuple[str, str, str]] = []
    guarded = protection(changes, breaker_failures=1)

    await fault(guarded, Operation.CHAT)

    assert changes == [("api.test:chat", "closed", "open")]


async def test_who_finds_the_breaker_open_does_not_wait_for_a_place() -> None:
    guarded = protection(breaker_failures=1, upstream_concurrency=1, upstream_wait_seconds=60)
    await fault(guarded, Operation.CHAT)

    async with guarded.slot(Operation.DEFAULT):
        with pytest.raises(BreakerOpen):
            await within(guarded.slot(Operation.CHAT).__aenter__())


async def test_who_does_not_wait_any_more_is_not_served() -> None:
    guarded, token = protection(), current_deadline.set(Deadline.after(0))

    with pytest.raises(DeadlinePassed):
        await guarded.slot(Operation.CHAT).__aenter__()

    current_deadline.reset(token)


async def test_a_deadline_of_the_caller_is_no_fault_and_the_time_of_the_operation_is() -> None:
    guarded = protection(breaker_failures=1)

    async def wait(seconds: float) -> None:
        async with guarded.attempt(Operation.CHAT, seconds):
            await asyncio.Event().wait()

    token = current_deadline.set(Deadline.after(0.05))
    with pytest.raises(DeadlinePassed):
        await within(wait(30))
    assert guarded.breakers[Operation.CHAT].state == "closed"
    current_deadline.reset(token)
    with pytest.raises(TimeoutError):
        await within(wait(0.01))
    assert guarded.breakers[Operation.CHAT].state == "open"


async def test_places_are_counted_for_each_subject_and_those_of_nobody_together() -> None:
    guarded = protection(upstream_concurrency_per_subject=1, upstream_wait_seconds=0.01)
    unknown_key = Caller(kind="api_key")

    async def may_come(caller: Caller) -> bool:
        token = current_caller.set(caller)
        try:
            async with guarded.slot(Operation.CHAT):
                return True
        except Full:
            return False
        finally:
            current_caller.reset(token)

    for taken, free, full in ((ADA, BOB, ADA), (ANONYMOUS, ADA, unknown_key)):
        token = current_caller.set(taken)
        async with guarded.slot(Operation.CHAT):
            assert await may_come(free)
            assert not await may_come(full)
        current_caller.reset(token)
