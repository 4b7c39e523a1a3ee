"""Whom a fault counts against, and what it is called."""

import httpx2
import pytest

from mcp_server.breaker import BreakerOpen, Verdict
from mcp_server.errors import CircuitBreakerOpen, ServiceUnavailable, Timeout
from mcp_server.faults import Watch, class_of, failures, judge_error, judge_status, watched


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (httpx2.ConnectError("x"), Verdict.FAULT),
        (httpx2.ReadTimeout("x"), Verdict.FAULT),
        (TimeoutError(), Verdict.FAULT),
        (ConnectionResetError(), Verdict.FAULT),
        (httpx2.PoolTimeout("x"), Verdict.IGNORE),
        (httpx2.UnsupportedProtocol("x"), Verdict.IGNORE),
        (ValueError(), Verdict.IGNORE),
    ],
)
def test_only_the_upstreams_own_faults_count(error: Exception, verdict: Verdict) -> None:
    assert judge_error(error) is verdict


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.OK),
        (307, Verdict.IGNORE),
        (404, Verdict.OK),
        (429, Verdict.IGNORE),
        (500, Verdict.FAULT),
        (599, Verdict.FAULT),
    ],
)
def test_only_5xx_counts_among_answers(status: int, verdict: Verdict) -> None:
    assert judge_status(status) is verdict


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (BreakerOpen("x", 7), CircuitBreakerOpen),
        (TimeoutError(), Timeout),
        (httpx2.ReadTimeout("x"), Timeout),
        (httpx2.ReadError("secret"), ServiceUnavailable),
        (httpx2.DecodingError("secret"), ServiceUnavailable),
    ],
)
def test_a_fault_becomes_a_failure_that_shows_nothing_of_it(fault: Exception, kind: type[Exception]) -> None:
    watch = Watch()

    with pytest.raises(kind) as failure, failures("chat", watch):
        raise fault

    assert watch.outcome == getattr(failure.value, "name", "").lower()
    assert "secret" not in str(failure.value)


def test_a_bug_passes_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), failures("chat", Watch()):
        raise ZeroDivisionError


def test_however_it_ends_it_is_told_once() -> None:
    told: list[tuple[str, str]] = []

    with pytest.raises(KeyError), watched(lambda operation, outcome, _: told.append((operation, outcome)), "chat"):
        raise KeyError
    with watched(lambda operation, outcome, _: told.append((operation, outcome)), "ask") as watch:
        watch.outcome = class_of(204)

    assert told == [("chat", "cancelled"), ("ask", "2xx")]
