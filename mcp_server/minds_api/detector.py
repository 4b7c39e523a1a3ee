"""Which dialect the internal API speaks: asked once, of its own description, when it first matters."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

import structlog

from mcp_server.minds_api.dialect import Dialect
from mcp_server.toolkit.cache import TtlCache
from mcp_server.upstream.protection import Operation

ASK_AGAIN = 30.0
"""Seconds between two questions after one that got no answer, and between two that a missing collection caused."""

log = structlog.get_logger(__name__)


class Question(Protocol):
    """How the internal API is asked, for a call of some operation."""

    def is_fit(self, operation: Operation) -> bool:
        """Whether to ask now; where not, a guess has to do."""
        ...

    def patience(self, operation: Operation) -> AbstractAsyncContextManager[None]:
        """Around the waiting of one of those who share an answer."""
        ...

    async def ask(self, operation: Operation) -> Dialect | None:
        """None when the answer says nothing."""
        ...


class DialectFinder:
    """Remembers what the internal API speaks. One that is `fixed` is never asked.

    While there is no answer, it is taken to speak today's dialect, until something that is missing there is found in
    the other one.
    """

    def __init__(
        self, question: Question, fixed: Dialect | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._question, self._fixed, self._found = question, fixed, fixed
        self._first: TtlCache[str, Dialect] = TtlCache(ASK_AGAIN, clock=clock)
        self._again: TtlCache[str, Dialect] = TtlCache(ASK_AGAIN, clock=clock)

    @property
    def is_settled(self) -> bool:
        return self._found is not None

    async def find(self, operation: Operation) -> Dialect:
        """The dialect; however many ask at once, the internal API is asked once.

        Raises:
            Timeout: the answer did not come within the time of `operation`, or of its caller.

        """
        return self._found or await self._shared(self._first, operation)

    async def find_again(self, used: Dialect, operation: Operation) -> Dialect:
        """The dialect, after something was missing under the name that `used` has for it; a guess if none is known.

        Raises as `find`.
        """
        if self._fixed is not None:
            return self._fixed
        if self._found is not None and self._found is not used:
            return self._found  # somebody else was here in the meantime
        settled = await self._shared(self._again, operation)
        return settled if self.is_settled else _other(used)

    def learn(self, dialect: Dialect) -> None:
        """What was missing elsewhere was there in `dialect`. What the internal API says of itself counts more."""
        self._found = self._found or dialect

    async def _shared(self, answers: TtlCache[str, Dialect], operation: Operation) -> Dialect:
        if not self._question.is_fit(operation):
            return self._found or Dialect.CURRENT
        async with self._question.patience(operation):
            return await answers.once("", partial(self._settle, operation))

    async def _settle(self, operation: Operation) -> Dialect:
        told = await self._question.ask(operation)
        if told is not None and told is not self._found:
            log.info("upstream_dialect", dialect=told.value)
        self._found = told or self._found
        return self._found or Dialect.CURRENT


def _other(dialect: Dialect) -> Dialect:
    return Dialect.SPARKS if dialect is Dialect.CURRENT else Dialect.CURRENT
