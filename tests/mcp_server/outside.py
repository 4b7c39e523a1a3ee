"""The client of the internal API by itself, for tests of what leaves and what comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2

from mcp_server.caller import Caller
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.operations import timeouts
from mcp_server.minds_api.replies import NAME, judge_reply
from mcp_server.observability.telemetry import Telemetry, no_op
from mcp_server.upstream.breaker import BreakerChanged
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.client import Upstream
from tests.support import ADA, API_URL, settings, signed_in

Observed = list[tuple[str, str]]


class ObservedTelemetry(Telemetry):
    """Keeps what became of each call in a list."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed

    def upstream(self, operation: str, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        self._observed.append((operation, outcome))

    def retried(self, operation: str) -> None:
        self._observed.append((operation, "retry"))

    def bulkhead_refused(self, bulkhead: str) -> None:
        self._observed.append((bulkhead, "busy"))


def minds_upstream(
    network: httpx2.AsyncBaseTransport,
    host: str = "api.test",
    *,
    observed: Observed | None = None,
    breaker_changed: BreakerChanged = no_op,
    **values: Any,
) -> Upstream:
    """As the runtime opens it; `values` are settings."""
    chosen = settings(**values)
    return Upstream(
        network,
        host,
        chosen,
        timeouts=timeouts(chosen),
        judge=judge_reply,
        telemetry=ObservedTelemetry([] if observed is None else observed),
        breaker_changed=breaker_changed,
        name=NAME,
    )


@asynccontextmanager
async def way_out(
    api: httpx2.AsyncBaseTransport,
    caller: Caller = ADA,
    *,
    base: str = API_URL,
    dialect: Dialect | None = Dialect.CURRENT,
    idle: float = 60,
    **more: Any,
) -> AsyncIterator[Api]:
    upstream = minds_upstream(api, urlsplit(base).netloc, **more)
    with signed_in(caller):
        async with upstream.client:
            made = Api(upstream, base, OwnKey(), dialect=dialect)
            made.idle = idle
            yield made


@asynccontextmanager
async def slot(bulkhead: Bulkhead, subject: str, operation: str) -> AsyncIterator[None]:
    """A place for the block."""
    if not bulkhead.take(subject, operation):
        await bulkhead.wait(subject, operation)
    try:
        yield
    finally:
        bulkhead.leave(subject, operation)
