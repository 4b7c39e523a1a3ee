"""Which dialect the internal API speaks: probed once, in its own description, when it first matters."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import httpx2
import structlog

from mcp_server.errors import GatewayError, Timeout
from mcp_server.minds_api.dialect import COLLECTIONS, Dialect
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.replies import Reply, read_reply
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolkit.json_coercion import mapping
from mcp_server.upstream.client import Upstream
from mcp_server.upstream.deadline import deadline_timeout
from mcp_server.upstream.failure_mapping import DeadlinePassed

PROBE_AGAIN = 30.0  # seconds between two probes, after one without an answer

PREFIX = "/api/v1"

PLACE = ("the gateway itself", "dialect")
"""The probe's subject and operation at the bulkhead: whoever waits for it may have no place left, in no operation."""

log = structlog.get_logger(__name__)


class DialectFinder:
    """Remembers what `upstream` speaks, in `found`. One that is `fixed` is never probed.

    While there is no answer, it is taken to speak today's dialect, until something that is missing there is found in
    the other one. A probe asks for the OpenAPI document below `base`, which is public, so that no credential goes with
    the question. It counts as a call of the operation that needs to know, for that breaker and in the metrics.
    """

    def __init__(
        self,
        upstream: Upstream,
        base: str,
        fixed: Dialect | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._upstream, self._url = upstream, httpx2.URL(f"{base}/openapi.json")
        self._is_fixed, self.found = fixed is not None, fixed
        self._answers: TtlCache[str, Dialect] = TtlCache(PROBE_AGAIN, clock=clock)

    async def find(self, operation: Operation) -> Dialect:
        """The dialect; however many ask at once, the internal API is probed once.

        Raises `Timeout`: the answer did not come within the time of `operation`, or of its caller.
        """
        # A breaker that is not closed lets one call in: that is the call itself.
        if self.found is not None or self._upstream.breakers[operation].state != "closed":
            return self.found or Dialect.CURRENT
        try:  # for no longer than the call may take; the probe goes on for the others
            async with deadline_timeout(self._upstream.timeouts[operation]):
                return (await self._answers.once("", partial(self._probe, operation)))[0]
        except (DeadlinePassed, TimeoutError):
            raise Timeout from None

    def other(self, used: Dialect | None, segments: Sequence[str]) -> Dialect | None:
        """The dialect in which to look for what is missing in the one that was `used`; None where that says nothing.

        Of a collection a 404 may mean another dialect, and of anything as long as none is known.
        """
        if used is None or self._is_fixed or (len(segments) > 1 and self.found is not None):
            return None
        return Dialect.SPARKS if used is Dialect.CURRENT else Dialect.CURRENT

    async def _probe(self, operation: Operation) -> Dialect:
        """What the document says. A document that cannot be had is no failure of the calls that wait for it: a guess
        serves as well, and each of them meets its own breaker and its own place.
        """
        extensions = {
            "operation": operation,
            "seconds": self._upstream.timeouts[Operation.POLLING],
            "retries": 0,
            "place": PLACE,
            "decode": partial(read_reply, dialect=None),
        }
        answer = None
        try:
            request = self._upstream.request("GET", self._url, {}, None, extensions)
            response = await self._upstream.transport.handle_async_request(request)
        except GatewayError as error:
            log.warning("upstream_dialect_unknown", reason=error.name)
        else:
            reply: Reply = response.extensions["reply"]
            answer = described(reply.body) if reply.status == httpx2.codes.OK else None
        if answer is not None and answer is not self.found:
            log.info("upstream_dialect", dialect=answer.value)
        self.found = answer or self.found
        return self.found or Dialect.CURRENT


def described(document: Any) -> Dialect | None:
    """The dialect of an OpenAPI document. One that has both names speaks today's."""
    paths = mapping(mapping(document).get("paths"))
    if f"{PREFIX}/minds" in paths:
        return Dialect.CURRENT
    return Dialect.SPARKS if f"{PREFIX}/{COLLECTIONS['minds']}" in paths else None
