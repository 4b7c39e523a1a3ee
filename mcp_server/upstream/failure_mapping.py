"""What goes wrong on the way to the internal API: whom it counts against, and what it is called."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import structlog

from mcp_server.errors import CircuitBreakerOpen, GatewayError, ServiceUnavailable, Timeout
from mcp_server.minds_api.replies import Reply, UnreadableAnswer, llm_fault
from mcp_server.upstream.breaker import BreakerOpen, Verdict
from mcp_server.upstream.bulkhead import Full
from mcp_server.upstream.deadline import DeadlinePassed

_FAULTS = (
    httpx2.TimeoutException,
    httpx2.NetworkError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
    httpx2.DecodingError,
    TimeoutError,
    ConnectionError,
)

_PASSING = frozenset({httpx2.codes.BAD_GATEWAY, httpx2.codes.SERVICE_UNAVAILABLE, httpx2.codes.GATEWAY_TIMEOUT})
"""What a server or a proxy says that expects to be back in a moment."""

BUSY = "Too many calls of the internal API are under way; try again in a moment"

_Foreseen = BreakerOpen | Full | DeadlinePassed | TimeoutError | httpx2.RequestError

log = structlog.get_logger(__name__)


Observe = Callable[[str, str, float], None]
"""Told of each call: operation, outcome, seconds. The outcome `retry` is the pause before one more try."""

BreakerChanged = Callable[[str, str, str], None]
"""Told of each change of a breaker: its name, the state before and the state now. It must neither raise nor wait."""


@dataclass(slots=True)
class Watch:
    """What became of one request. A caller who leaves says nothing more.

    Attributes:
        may_pass: whether the same request may well be answered in a moment.

    """

    outcome: str = "cancelled"
    may_pass: bool = False

    def saw(self, reply: Reply) -> None:
        self.outcome = class_of(reply.status)
        # One that says when to come back is not asked before.
        self.may_pass = reply.status in _PASSING and reply.retry_after is None


@contextmanager
def watched(observe: Observe, operation: str, watch: Watch | None = None) -> Iterator[Watch]:
    """Tell `observe` how it ended and how long it took."""
    watch, started = watch or Watch(), time.perf_counter()
    try:
        yield watch
    finally:
        observe(operation, watch.outcome, time.perf_counter() - started)


@contextmanager
def failures(operation: str, watch: Watch) -> Iterator[None]:
    """Say faults of the way as this project's failures, without their particulars."""
    try:
        yield
    except (BreakerOpen, Full, DeadlinePassed, TimeoutError, httpx2.RequestError) as error:
        failure, watch.outcome = _failure(error)
        watch.may_pass = _is_of_the_connection(error)
        if isinstance(error, httpx2.RequestError):
            log.warning("upstream_unreachable", operation=operation, reason=type(error).__name__)
        raise failure from None


def _failure(error: _Foreseen) -> tuple[GatewayError, str]:
    """What the caller is told, and what the metrics are: there a deadline of the caller is no slow upstream."""
    match error:
        case BreakerOpen():
            return CircuitBreakerOpen(error.retry_after), "circuit_breaker_open"
        case Full():
            return ServiceUnavailable(BUSY, retry_after=error.retry_after), "busy"
        case DeadlinePassed():
            return Timeout(), "deadline"
        case TimeoutError() | httpx2.TimeoutException():
            return Timeout(), "timeout"
        case _:
            return ServiceUnavailable(), "service_unavailable"


def _is_of_the_connection(error: Exception) -> bool:
    """Refused, reset or closed under a request. An answer that came and is no answer would come again."""
    if isinstance(error, UnreadableAnswer):
        return False
    return isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)


def judge_error(error: BaseException) -> Verdict:
    """Connection faults and deadlines are the upstream's; a full pool of our own is not."""
    if isinstance(error, httpx2.PoolTimeout):
        return Verdict.IGNORE
    return Verdict.FAULT if isinstance(error, _FAULTS) else Verdict.IGNORE


def judge_reply(reply: Reply) -> Verdict:
    """As its status says, but for a language model that did not answer: the server that tells so is well."""
    verdict = judge_status(reply.status)
    return Verdict.OK if verdict is Verdict.FAULT and llm_fault(reply.body) is not None else verdict


def judge_status(status: int) -> Verdict:
    """Only 5xx counts, so that one user's bad requests never close the door on others; 3xx and 429 say nothing."""
    if status >= httpx2.codes.INTERNAL_SERVER_ERROR:
        return Verdict.FAULT
    says_nothing = status == httpx2.codes.TOO_MANY_REQUESTS or httpx2.codes.is_redirect(status)
    return Verdict.IGNORE if says_nothing else Verdict.OK


def class_of(status: int) -> str:
    return f"{status // 100}xx"


def unheard(_name: str, _old: str, _new: str) -> None:
    """For a process in which nobody but the log is told of breakers."""


def telling(changed: BreakerChanged) -> BreakerChanged:
    """Tell the log of each change, and `changed`."""

    def tell(name: str, old: str, new: str) -> None:
        log.warning("breaker_changed", breaker=name, old=old, new=new)
        changed(name, old, new)

    return tell
