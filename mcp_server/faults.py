"""What goes wrong on the way to the internal API: whom it counts against, and what it is called."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import structlog

from mcp_server.breaker import BreakerOpen, Verdict
from mcp_server.errors import CircuitBreakerOpen, GatewayError, ServiceUnavailable, Timeout

_FAULTS = (
    httpx2.TimeoutException,
    httpx2.NetworkError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
    httpx2.DecodingError,
    TimeoutError,
    ConnectionError,
)

log = structlog.get_logger(__name__)


Observe = Callable[[str, str, float], None]
"""Told of each call: operation, outcome, seconds."""


@dataclass(slots=True)
class Watch:
    """What became of one request. A caller who leaves says nothing more."""

    outcome: str = "cancelled"


@contextmanager
def watched(observe: Observe, operation: str) -> Iterator[Watch]:
    """Tell `observe` how it ended and how long it took."""
    watch, started = Watch(), time.perf_counter()
    try:
        yield watch
    finally:
        observe(operation, watch.outcome, time.perf_counter() - started)


@contextmanager
def failures(operation: str, watch: Watch) -> Iterator[None]:
    """Say faults of the way as this project's failures, without their particulars."""
    try:
        yield
    except (BreakerOpen, TimeoutError, httpx2.RequestError) as error:
        failure = _failure(error)
        if isinstance(failure, ServiceUnavailable):
            log.warning("upstream_unreachable", operation=operation, reason=type(error).__name__)
        watch.outcome = failure.name.lower()
        raise failure from None


def _failure(error: BreakerOpen | TimeoutError | httpx2.RequestError) -> GatewayError:
    if isinstance(error, BreakerOpen):
        return CircuitBreakerOpen(error.retry_after)
    return Timeout() if isinstance(error, TimeoutError | httpx2.TimeoutException) else ServiceUnavailable()


def judge_error(error: BaseException) -> Verdict:
    """Connection faults and deadlines are the upstream's; a full pool of our own is not."""
    if isinstance(error, httpx2.PoolTimeout):
        return Verdict.IGNORE
    return Verdict.FAULT if isinstance(error, _FAULTS) else Verdict.IGNORE


def judge_status(status: int) -> Verdict:
    """Only 5xx counts, so that one user's bad requests never close the door on others; 3xx and 429 say nothing."""
    if status >= httpx2.codes.INTERNAL_SERVER_ERROR:
        return Verdict.FAULT
    says_nothing = status == httpx2.codes.TOO_MANY_REQUESTS or httpx2.codes.is_redirect(status)
    return Verdict.IGNORE if says_nothing else Verdict.OK


def class_of(status: int) -> str:
    return f"{status // 100}xx"


def tell_change(name: str, old: str, new: str) -> None:
    log.warning("breaker_changed", breaker=name, old=old, new=new)
