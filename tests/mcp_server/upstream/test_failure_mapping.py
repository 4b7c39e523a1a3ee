"""Whom a fault counts against, and what it is called."""

import httpx2
import pytest
import structlog

from mcp_server.errors import CircuitBreakerOpen, ServiceUnavailable, Timeout
from mcp_server.minds_api.replies import Reply, UnreadableAnswer
from mcp_server.upstream.breaker import BreakerOpen, Verdict
from mcp_server.upstream.bulkhead import Full
from mcp_server.upstream.deadline import DeadlinePassed
from mcp_server.upstream.failure_mapping import (
    Watch,
    class_of,
    failures,
    judge_error,
    judge_reply,
    judge_status,
    telling,
    watched,
)


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
        (httpx2.ReadError("x"), Verdict.FAULT),
        (httpx2.RemoteProtocolError("x"), Verdict.FAULT),
        (UnreadableAnswer("x"), Verdict.FAULT),
        (DeadlinePassed(), Verdict.IGNORE),
        (Full(), Verdict.IGNORE),
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
    ("fault", "kind", "outcome", "may_pass"),
    [
        (BreakerOpen("x", 7), CircuitBreakerOpen, "circuit_breaker_open", False),
        (Full(), ServiceUnavailable, "busy", False),
        (DeadlinePassed(), Timeout, "deadline", False),
        (TimeoutError(), Timeout, "timeout", False),
        (httpx2.ReadTimeout("x"), Timeout, "timeout", False),
        (httpx2.ConnectError("secret"), ServiceUnavailable, "service_unavailable", True),
        (httpx2.ReadError("secret"), ServiceUnavailable, "service_unavailable", True),
        (httpx2.RemoteProtocolError("secret"), ServiceUnavailable, "service_unavailable", True),
        (UnreadableAnswer("secret"), ServiceUnavailable, "service_unavailable", False),
        (httpx2.DecodingError("secret"), ServiceUnavailable, "service_unavailable", False),
    ],
)
def test_a_fault_becomes_a_failure_that_shows_nothing_of_it(
    fault: Exception, kind: type[Exception], outcome: str, *, may_pass: bool
) -> None:
    watch = Watch()

    with pytest.raises(kind) as failure, failures("chat", watch):
        raise fault

    assert (watch.outcome, watch.may_pass) == (outcome, may_pass)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    ("reply", "may_pass"),
    [
        (Reply(200, {}), False),
        (Reply(404, None), False),
        (Reply(429, None), False),
        (Reply(500, None), False),
        (Reply(502, None), True),
        (Reply(503, None), True),
        (Reply(503, None, 5), False),
        (Reply(504, None), True),
    ],
)
def test_what_a_server_says_that_is_soon_back_may_pass_unless_it_says_when(reply: Reply, *, may_pass: bool) -> None:
    watch = Watch()

    watch.saw(reply)

    assert (watch.outcome, watch.may_pass) == (class_of(reply.status), may_pass)


@pytest.mark.parametrize("word", ["model_not_found", "invalid_prompt", "unsupported_model_capability"])
@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_language_model_that_fails_says_nothing_against_the_server_that_tells_so(status: int, word: str) -> None:
    assert judge_reply(Reply(status, {"data": {"errorType": word}})) is Verdict.OK
    assert judge_reply(Reply(status, {"data": {"errorType": "database_gone"}})) is Verdict.FAULT
    assert judge_reply(Reply(status, None)) is Verdict.FAULT


def test_a_change_is_told_to_the_log_and_to_whoever_listens() -> None:
    told: list[tuple[str, str, str]] = []

    with structlog.testing.capture_logs() as lines:
        telling(lambda *change: told.append(change))("api:chat", "closed", "open")

    assert told == [("api:chat", "closed", "open")]
    assert [line["event"] for line in lines] == ["breaker_changed"]


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
