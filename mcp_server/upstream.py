"""The way out to the internal API: contained paths, the caller's credential, timeouts, breakers, and its answers
turned into this project's failures.
"""

import asyncio
import enum
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
import orjson
import structlog

from mcp_server.breaker import AsyncBreaker, BreakerOpen, Verdict
from mcp_server.caller import current_caller
from mcp_server.credentials import Credentials
from mcp_server.errors import CircuitBreakerOpen, InvalidArguments, ServiceUnavailable, Timeout
from mcp_server.refusals import refusal
from mcp_server.settings import McpSettings

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""An answer beyond this is not the internal API's: memory stays bounded whatever it sends."""

_FAULTS = (
    httpx2.TimeoutException,
    httpx2.NetworkError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
    TimeoutError,
    ConnectionError,
)

log = structlog.get_logger(__name__)


class Operation(enum.Enum):
    """The seed's operation classes. Each has its own timeout and its own breaker."""

    DEFAULT = "default"
    CREATE = "create"
    CHAT = "chat"
    POLLING = "polling"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the status and the parsed body."""

    status: int
    body: Any


Observe = Callable[[str, str, float], None]
"""Told of each call: operation, outcome, seconds."""


class Api:
    """The internal API, as the caller of the current request sees it."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        base_url: str,
        credentials: Credentials,
        settings: McpSettings,
        *,
        observe: Observe,
    ) -> None:
        self._client, self._credentials, self._observe = client, credentials, observe
        self._base = f"{base_url.rstrip('/')}/api/v1"
        self._timeouts = {
            Operation.DEFAULT: settings.timeout_default,
            Operation.CREATE: settings.timeout_create,
            Operation.CHAT: settings.timeout_chat,
            Operation.POLLING: settings.timeout_polling,
        }
        host = urlsplit(base_url).netloc
        self.breakers = {
            operation: AsyncBreaker(
                f"{host}:{operation.value}",
                judge=judge_error,
                failures=settings.breaker_failures,
                reset_seconds=settings.breaker_reset_seconds,
                successes=settings.breaker_successes,
                on_change=_tell_change,
            )
            for operation in Operation
        }

    async def call(
        self,
        method: str,
        *segments: str,
        operation: Operation = Operation.DEFAULT,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The parsed body of a successful answer.

        Raises:
            GatewayError: what the caller could not have avoided: 401, 403, 429, timeouts, 5xx, an open breaker.
            ToolFailure: what it could: `Missing` (404), `Conflict` (409), `PlanLimit`, `Refused`.

        """
        url = f"{self._base}/{contained(segments)}"
        request = self._client.build_request(
            method,
            url,
            params=dict(params) if params else None,
            content=orjson.dumps(json) if json is not None else None,
            headers=self._headers(json is not None, headers),
        )
        started, outcome = time.perf_counter(), "cancelled"
        try:
            reply = await self._guarded(request, operation)
            outcome = f"{reply.status // 100}xx"
        except (CircuitBreakerOpen, Timeout, ServiceUnavailable) as error:
            outcome = error.name.lower()
            raise
        finally:
            self._observe(operation.value, outcome, time.perf_counter() - started)
        if reply.status >= httpx2.codes.BAD_REQUEST:
            raise refusal(reply.status, reply.body)
        return reply.body

    def _headers(self, has_body: bool, extra: Mapping[str, str] | None) -> dict[str, str]:  # noqa: FBT001  private
        headers = {"authorization": f"Bearer {self._credentials.bearer(current_caller.get())}"}
        if has_body:
            headers["content-type"] = "application/json"
        headers.update(extra or {})
        return headers

    async def _guarded(self, request: httpx2.Request, operation: Operation) -> Reply:
        try:
            async with self.breakers[operation].guard() as call:
                async with asyncio.timeout(self._timeouts[operation]):
                    reply = await self._send(request)
                call.verdict = judge_status(reply.status)
                return reply
        except BreakerOpen as error:
            raise CircuitBreakerOpen(error.retry_after) from None
        except (TimeoutError, httpx2.TimeoutException):
            raise Timeout from None
        except httpx2.TransportError as error:
            log.warning("upstream_unreachable", operation=operation.value, reason=type(error).__name__)
            raise ServiceUnavailable from None

    async def _send(self, request: httpx2.Request) -> Reply:
        response = await self._client.send(request, stream=True)
        try:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > MAX_ANSWER_BYTES:
                    raise httpx2.RemoteProtocolError("the answer is too large")
        finally:
            await response.aclose()
        return Reply(response.status_code, _parsed(response.status_code, bytes(body), response.headers))


def _parsed(status: int, body: bytes, headers: httpx2.Headers) -> Any:
    """JSON, or for a refusal whatever can be used of it. A success that is not JSON is the upstream's fault."""
    try:
        parsed = orjson.loads(body) if body else None
    except orjson.JSONDecodeError:
        if status < httpx2.codes.BAD_REQUEST:
            raise httpx2.RemoteProtocolError("the answer is not JSON") from None
        parsed = None
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return {"retryAfter": headers.get("retry-after")}
    return parsed


_DOTS = re.compile(r"\.+")


def contained(segments: tuple[str, ...]) -> str:
    """The segments as one path that cannot leave its place: each is quoted, and none may be empty or only dots.

    Raises:
        InvalidArguments: a segment could not be an id.

    """
    for segment in segments:
        if not segment or _DOTS.fullmatch(segment) or any(ord(character) < 0x20 for character in segment):  # noqa: PLR2004  the control characters
            raise InvalidArguments("that is not an id; use one that a listing returned")
    return "/".join(quote(segment, safe="") for segment in segments)


def judge_error(error: BaseException) -> Verdict:
    """Connection faults and deadlines are the upstream's; a full pool of our own is not."""
    if isinstance(error, httpx2.PoolTimeout):
        return Verdict.IGNORE
    return Verdict.FAULT if isinstance(error, _FAULTS) else Verdict.IGNORE


def judge_status(status: int) -> Verdict:
    """Only 5xx counts, so that one user's bad requests never close the door on others; 429 says nothing."""
    if status >= httpx2.codes.INTERNAL_SERVER_ERROR:
        return Verdict.FAULT
    return Verdict.IGNORE if status == httpx2.codes.TOO_MANY_REQUESTS else Verdict.OK


def _tell_change(name: str, old: str, new: str) -> None:
    log.warning("breaker_changed", breaker=name, old=old, new=new)
