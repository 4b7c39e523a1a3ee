"""What goes wrong with a call of an upstream: whether it counts against the server, and the failure it becomes."""

import enum
from collections.abc import Collection
from typing import ClassVar

import httpx2

from mcp_server.errors import CircuitBreakerOpen, GatewayError, ServiceUnavailable, Timeout


class Verdict(enum.Enum):
    """What one call says about the server that was called."""

    OK = "ok"  # it answered: reset the failures, or count a successful probe
    FAULT = "fault"  # its own fault: count it
    IGNORE = "ignore"  # nothing: our own pool, our own bug, a caller who left


class BreakerOpen(Exception):
    """Refused without asking. `retry_after` is in seconds."""

    def __init__(self, name: str, retry_after: float) -> None:
        super().__init__(f"circuit {name} is open")
        self.name, self.retry_after = name, retry_after


class BulkheadFull(Exception):
    """Too many calls are under way."""

    retry_after: ClassVar[float] = 1.0
    """Seconds."""


class DeadlinePassed(Exception):
    """The caller's own time is used up, which says nothing about the server."""


class Abandoned(Exception):
    """The reader of a response left before its end, which says nothing about the server."""


class UnreadableAnswer(httpx2.RemoteProtocolError):
    """An answer came, and cannot be used: too large, or not what was asked for."""


FAULTS = (
    httpx2.TimeoutException,
    httpx2.NetworkError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
    httpx2.DecodingError,
    httpx2.SSEError,
    TimeoutError,
    ConnectionError,
)
"""The server's own: connection faults, deadlines, answers that cannot be read."""

FORESEEN = (BreakerOpen, BulkheadFull, DeadlinePassed, TimeoutError, httpx2.RequestError)

REDIRECTS, CLIENT_ERRORS, NOT_FOUND, TOO_MANY, SERVER_ERRORS = 300, 400, 404, 429, 500
"""As numbers: the names of httpx2 and of Python are looked up in 2 us each, several times a call."""

PASSING = frozenset({502, 503, 504})
"""What a server or a proxy says that expects to be back in a moment."""


def judge(outcome: httpx2.Response | Exception) -> Verdict:
    """Connection faults and deadlines are the server's; a full connection pool of our own is not. Of responses only
    5xx counts, so that one user's bad requests never close the door on others; 3xx and 429 say nothing.
    """
    if isinstance(outcome, Exception):
        is_fault = isinstance(outcome, FAULTS) and not isinstance(outcome, httpx2.PoolTimeout)
        return Verdict.FAULT if is_fault else Verdict.IGNORE
    status = outcome.status_code
    if status >= SERVER_ERRORS:
        return Verdict.FAULT
    return Verdict.IGNORE if status == TOO_MANY or REDIRECTS <= status < CLIENT_ERRORS else Verdict.OK


def is_transient(outcome: httpx2.Response | Exception, statuses: Collection[int] = PASSING) -> bool:
    """Whether the same request may well be answered in a moment.

    An answer that came and cannot be used would come again, and a server that says when to come back is not asked
    before.
    """
    if isinstance(outcome, Exception):
        is_of_the_connection = isinstance(outcome, httpx2.NetworkError | httpx2.RemoteProtocolError)
        return is_of_the_connection and not isinstance(outcome, UnreadableAnswer)
    says_when = "retry-after" in outcome.headers or outcome.extensions.get("retry_after") is not None
    return outcome.status_code in statuses and not says_when


def failure_of(error: Exception, name: str) -> tuple[GatewayError, str]:
    """The failure for `error` of the upstream called `name`, without its particulars; and the outcome
    in the metrics, where a deadline of the caller is no slow upstream.
    """
    match error:
        case BreakerOpen():
            message = f"{name} keeps failing and is left alone for a moment"
            return CircuitBreakerOpen(error.retry_after, message), "circuit_breaker_open"
        case BulkheadFull():
            message = f"Too many calls of {name[:1].lower()}{name[1:]} are under way; try again in a moment"
            return ServiceUnavailable(message, retry_after=error.retry_after), "busy"
        case DeadlinePassed():
            return Timeout(), "deadline"
        case TimeoutError() | httpx2.TimeoutException():
            return Timeout(), "timeout"
        case Abandoned():
            return Timeout(), "cancelled"
        case _:
            return ServiceUnavailable(f"{name} cannot be reached; try again"), "service_unavailable"


def refusal_of(error: Exception) -> GatewayError | None:
    """What a call that failed by `error` is refused with; None for a bug.

    A transport error is one of the guarded client for addresses that users name: those of `Upstream` arrive mapped.
    """
    match error:
        case GatewayError():
            return error
        case TimeoutError() | DeadlinePassed():
            return Timeout()
        case httpx2.TransportError():
            return ServiceUnavailable("An address that is needed for the answer cannot be reached; try again")
    return None
