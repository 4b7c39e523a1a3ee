"""Whom a fault counts against, whether it may pass, and what it is called."""

import httpx2
import pytest

from mcp_server.errors import CircuitBreakerOpen, ServiceUnavailable, Timeout
from mcp_server.upstream.failure_mapping import (
    Abandoned,
    BreakerOpen,
    BulkheadFull,
    DeadlinePassed,
    UnreadableAnswer,
    Verdict,
    failure_of,
    is_transient,
    judge_error,
    judge_response,
)

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

    assert (type(failure), word, judge_error(error), is_transient(error)) == (kind, outcome, verdict, transient)
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

    assert (judge_response(response), is_transient(response)) == (verdict, transient)
