"""The way out by itself, for tests of what leaves and what comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from mcp_server.caller import Caller, current_caller
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.minds_api.dialect import Dialect
from mcp_server.upstream.failure_mapping import BreakerChanged, unheard
from tests.support import ADA, API_URL, settings

Observed = list[tuple[str, str]]


@asynccontextmanager
async def way_out(
    api: httpx2.AsyncBaseTransport,
    caller: Caller = ADA,
    *,
    observed: Observed | None = None,
    base: str = API_URL,
    dialect: Dialect | None = Dialect.CURRENT,
    idle: float = 60,
    breaker_changed: BreakerChanged = unheard,
    **values: Any,
) -> AsyncIterator[Api]:
    def observe(operation: str, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        if observed is not None:
            observed.append((operation, outcome))

    token = current_caller.set(caller)
    async with httpx2.AsyncClient(transport=api, timeout=None) as client:
        yield Api(
            client,
            base,
            OwnKey(),
            settings(**values),
            observe=observe,
            dialect=dialect,
            idle=idle,
            breaker_changed=breaker_changed,
        )
    current_caller.reset(token)
