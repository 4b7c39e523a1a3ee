"""Which dialect the internal API speaks: asked once, of its own description, when it first matters."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2
import orjson
import structlog

from mcp_server.cache import TtlCache
from mcp_server.dialect import COLLECTIONS, Dialect
from mcp_server.replies import read_body

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
"""The published description has 274 kB."""

ASK_AGAIN = 30.0
"""Seconds between two questions after one that got no answer, and between two that a missing collection caused."""

PREFIX = "/api/v1"

Ask = Callable[[], Awaitable[Dialect | None]]
"""Asks the internal API; None when its answer says nothing."""

log = structlog.get_logger(__name__)


class DialectFinder:
    """Remembers what the internal API speaks. One that is `fixed` is never asked.

    While there is no answer, it is taken to speak today's dialect, until something that is missing there is found in
    the other one.
    """

    def __init__(self, ask: Ask, fixed: Dialect | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._fixed, self._found = ask, fixed, fixed
        self._first: TtlCache[str, Dialect] = TtlCache(ASK_AGAIN, clock=clock)
        self._again: TtlCache[str, Dialect] = TtlCache(ASK_AGAIN, clock=clock)

    @property
    def is_settled(self) -> bool:
        return self._found is not None

    async def find(self) -> Dialect:
        """The dialect; however many ask at once, the internal API is asked once."""
        return self._found or await self._first.once("", self._settle)

    async def find_again(self, used: Dialect) -> Dialect:
        """The dialect, after something was missing under the name that `used` has for it; a guess if none is known."""
        if self._fixed is not None:
            return self._fixed
        if self._found is not None and self._found is not used:
            return self._found  # somebody else was here in the meantime
        settled = await self._again.once("", self._settle)
        return settled if self.is_settled else _other(used)

    def learn(self, dialect: Dialect) -> None:
        """What was missing elsewhere was there in `dialect`. What the internal API says of itself counts more."""
        self._found = self._found or dialect

    async def _settle(self) -> Dialect:
        told = await self._ask()
        if told is not None and told is not self._found:
            log.info("upstream_dialect", dialect=told.value)
        self._found = told or self._found
        return self._found or Dialect.CURRENT


def _other(dialect: Dialect) -> Dialect:
    return Dialect.SPARKS if dialect is Dialect.CURRENT else Dialect.CURRENT


async def ask_dialect(client: httpx2.AsyncClient, base: str, seconds: float) -> Dialect | None:
    """What the OpenAPI document below `base` says. It is public, so no credential goes with the question."""
    try:
        async with asyncio.timeout(seconds), client.stream("GET", f"{base}/openapi.json") as response:
            if response.status_code != httpx2.codes.OK:
                return None
            body = await read_body(response, MAX_DOCUMENT_BYTES)
        return described(await asyncio.to_thread(orjson.loads, body))
    except (httpx2.HTTPError, httpx2.StreamError, TimeoutError, OSError, orjson.JSONDecodeError) as error:
        log.warning("upstream_dialect_unknown", reason=type(error).__name__)
        return None


def described(document: Any) -> Dialect | None:
    """The dialect of an OpenAPI document. One that has both names speaks today's."""
    paths = document.get("paths") if isinstance(document, Mapping) else None
    if not isinstance(paths, Mapping):
        return None
    if f"{PREFIX}/minds" in paths:
        return Dialect.CURRENT
    return Dialect.SPARKS if f"{PREFIX}/{COLLECTIONS['minds']}" in paths else None
