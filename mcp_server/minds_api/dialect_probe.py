"""The question which dialect the internal API speaks, asked behind what protects every call there."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import structlog

from mcp_server.errors import GatewayError
from mcp_server.minds_api.dialect import COLLECTIONS, Dialect
from mcp_server.minds_api.replies import Reply, read_reply
from mcp_server.upstream.deadline import Allowance
from mcp_server.upstream.failure_mapping import Observe, Watch, failures, judge_reply, watched
from mcp_server.upstream.protection import Operation, Protection

PREFIX = "/api/v1"

GATEWAY, QUESTION = "the gateway itself", "dialect"
"""Who takes the place of the question, and for what: whoever waits for it may have no place left, in no operation."""

log = structlog.get_logger(__name__)


class DialectQuestion:
    """Asks for the OpenAPI document below `base`. It is public, so no credential goes with the question.

    It counts as a call of the operation that needs to know, for that breaker and in the metrics.
    """

    def __init__(self, client: httpx2.AsyncClient, base: str, protection: Protection, observe: Observe) -> None:
        self._client, self._url = client, f"{base}/openapi.json"
        self._protection, self._observe = protection, observe

    def is_fit(self, operation: Operation) -> bool:
        """Whether to ask for `operation`. A breaker that is not closed lets one probe in: that is the call itself."""
        return self._protection.breakers[operation].state == "closed"

    @asynccontextmanager
    async def patience(self, operation: Operation) -> AsyncIterator[None]:
        """For one of those who wait for the answer: no longer than their call may take, and they are waited for.

        Raises:
            Timeout: it was longer. The question goes on for the others.

        """
        with failures(operation.value, Watch()):
            async with Allowance(self._protection.seconds[operation]):
                yield

    async def ask(self, operation: Operation) -> Dialect | None:
        """What the document says. None where it says nothing, or could not be had.

        That is no failure of the calls that wait for it: a guess serves as well, and each of them meets its own
        breaker and its own place.
        """
        watch = Watch()
        try:
            with watched(self._observe, operation.value, watch), failures(operation.value, watch):
                reply = await self._reply(operation)
                watch.saw(reply)
        except GatewayError as error:
            log.warning("upstream_dialect_unknown", reason=error.name)
            return None
        return described(reply.body) if reply.status == httpx2.codes.OK else None

    async def _reply(self, operation: Operation) -> Reply:
        seconds = self._protection.seconds[Operation.POLLING]
        async with (
            self._protection.bulkhead.slot(GATEWAY, QUESTION),
            self._protection.attempt(operation, seconds) as call,
            self._client.stream("GET", self._url) as response,
        ):
            reply = await read_reply(response, None)
            call.verdict = judge_reply(reply)
            return reply


def described(document: Any) -> Dialect | None:
    """The dialect of an OpenAPI document. One that has both names speaks today's."""
    paths = document.get("paths") if isinstance(document, Mapping) else None
    if not isinstance(paths, Mapping):
        return None
    if f"{PREFIX}/minds" in paths:
        return Dialect.CURRENT
    return Dialect.SPARKS if f"{PREFIX}/{COLLECTIONS['minds']}" in paths else None
