"""Whom a fault counts against, whether it may pass, and what it is called."""

import asyncio
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import CircuitBreakerOpen, ServiceUnavailable, Timeout
from mcp_server.upstream.deadline import BUDGET, current_deadline, deadline_timeout, outliving, stated, time_left
from mcp_server.upstream.failure_mapping import (
    Abandoned,
    BreakerOpen,
    BulkheadFull,
    DeadlinePassed,
    UnreadableAnswer,
    Verdict,
    failure_of,
    is_transient,
    judge,
)
from tests.edge import within

FAULT, IGNORE, OK = Verdict.FAULT, Verdict.IGNORE, Verdict.OK


@pytest.mark.parametrize(
    ("error", "kind", "outcome", "verdict", "transient"),
    [
        (BreakerOpen("x", 7), CircuitBreakerOpen, "circuit_breaker_open", IGNORE, False),
        (BulkheadFull(), ServiceUnavailable, "busy", IGNORE, False),
        (DeadlinePassed(), Timeout, "deadline", IGNORE, False),
        (Abandoned(), Timeout, "cancelled", IGNORE, False),
        (TimeoutError(), Timeout, "timeout", FAULT, False),
        (httpx2.ReadTimeout("x"), Timeout, "timeout", FAULT, False),
        (httpx2.PoolTimeout("x"), Timeout, "timeout", IGNORE, False),
        (httpx2.ConnectError("secret"), ServiceUnavailable, "service_unavailable", FAULT, True),
        (httpx2.ReadError("secret"), ServiceUnavailable, "service_unavailable", FAULT, True),
        (httpx2.RemoteProtocolError("secret"), ServiceUnavailable, "service_unavailable", FAULT, True),
        (UnreadableAnswer("secret"), ServiceUnavailable, "service_unavailable", FAULT, False),
        (httpx2.DecodingError("secret"), ServiceUnavailable, "service_unavailable", FAULT, False),
        (httpx2.UnsupportedProtocol("secret"), ServiceUnavailable, "service_unavailable", IGNORE, False),
    ],
)
def test_a_fault_becomes_a_failure_that_shows_nothing_of_it(
    error: Exception, kind: type[Exception], outcome: str, verdict: Verdict, *, transient: bool
) -> None:
    failure, word = failure_of(error, "The internal API")

    assert (type(failure), word, judge(error), is_transient(error)) == (kind, outcome, verdict, transient)
    assert failure.data.get("retryAfter") == getattr(error, "retry_after", None)
    assert "secret" not in str(failure)


@pytest.mark.parametrize(
    ("status", "headers", "verdict", "transient"),
    [
        (200, {}, OK, False),
        (307, {}, IGNORE, False),
        (404, {}, OK, False),
        (429, {}, IGNORE, False),
        (500, {}, FAULT, False),
        (502, {}, FAULT, True),
        (503, {}, FAULT, True),
        (503, {"retry-after": "5"}, FAULT, False),
        (504, {}, FAULT, True),
        (599, {}, FAULT, False),
    ],
)
def test_only_5xx_counts_among_answers_and_who_says_when_is_not_asked_before(
    status: int, headers: dict[str, str], verdict: Verdict, *, transient: bool
) -> None:
    response = httpx2.Response(status, headers=headers)

    assert (judge(response), is_transient(response)) == (verdict, transient)


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    token = current_deadline.set(monotonic() + seconds)
    yield
    current_deadline.reset(token)


async def use(seconds: float) -> None:
    async with deadline_timeout(seconds):
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("caller", "operation", "ended"),
    [
        (30, 0.01, TimeoutError),
        (0.05, 30, DeadlinePassed),
        (0.119, 0.1, TimeoutError),  # 20 ms are kept back: nearly all of the time counts as all of it
    ],
)
async def test_what_comes_first_ends_it_the_time_of_the_operation_or_the_deadline_of_the_caller(
    caller: float, operation: float, ended: type[Exception]
) -> None:
    with waiting(caller), pytest.raises(ended):
        await within(use(operation))


@pytest.mark.parametrize("left", [-1, 0, 0.001])
async def test_nothing_is_begun_when_the_time_is_used_up(left: float) -> None:
    with waiting(left), pytest.raises(DeadlinePassed):
        async with deadline_timeout(30):
            pytest.fail("it was begun")


async def test_what_outlives_the_call_does_not_end_with_it() -> None:
    async def work() -> float:
        return time_left()

    with waiting(1):
        task = asyncio.create_task(outliving(work))
        assert await within(task) == math.inf
        assert time_left() <= 1


@pytest.mark.parametrize(
    ("meta", "prefer", "seconds"),
    [
        (None, "", None),
        ({}, "respond-async", None),
        ({BUDGET: 1500}, "", 1.5),
        ({BUDGET: 0}, "", 0),
        ({BUDGET: -1}, "", None),
        ({BUDGET: True}, "", None),
        ({BUDGET: "1500"}, "", None),
        ({BUDGET: math.nan}, "", None),
        ({BUDGET: math.inf}, "", None),
        (None, "wait=10", 10),
        (None, "respond-async, WAIT = 10 ", 10),
        (None, 'respond-async; x=1, wait="10"', 10),
        (None, "wait=10, wait=3", 10),
        (None, "wait=ten", None),
        (None, "await=10", None),
        (None, "wait=-1", None),
        (None, "wait=99999999999", None),
        ({BUDGET: 2000}, "wait=1", 1),
    ],
)
def test_a_client_may_say_how_long_it_waits(meta: Mapping[str, Any] | None, prefer: str, seconds: float | None) -> None:
    assert stated(meta, prefer) == seconds


@given(st.dictionaries(st.just(BUDGET), st.none() | st.integers() | st.floats() | st.text() | st.lists(st.none())))
def test_whatever_a_client_says_it_is_a_time_or_nothing(meta: dict[str, Any]) -> None:
    told = stated(meta, "")

    assert told is None or 0 <= told < math.inf
