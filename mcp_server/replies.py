"""An answer of the internal API, read whole: bounded, parsed, and in today's words."""

import asyncio
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import httpx2
import orjson
import structlog

from mcp_server.dialect import Dialect, from_wire, may_hold_slips

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""An answer beyond this is not the internal API's: memory stays bounded whatever it sends."""

HEAVY_BYTES = 256 * 1024
"""From here on an answer is read in a thread: reading it takes milliseconds that belong to other callers."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the status and the parsed body."""

    status: int
    body: Any


async def read_reply(response: httpx2.Response, dialect: Dialect | None) -> Reply:
    """Read `response` to its end; None is for what is the same in all dialects.

    Raises:
        httpx2.RemoteProtocolError: a success is too large, or is not JSON.

    """
    status = response.status_code
    if httpx2.codes.is_redirect(status):
        log.warning("upstream_moved", to=response.headers.get("location", "").partition("?")[0][:200])
        return Reply(status, None)
    body = await read_body(response, MAX_ANSWER_BYTES)
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return Reply(status, {"retryAfter": _seconds_to_wait(response.headers)})
    try:
        return Reply(status, await parse(body, dialect))
    except orjson.JSONDecodeError:
        if status < httpx2.codes.BAD_REQUEST:
            raise httpx2.RemoteProtocolError("the answer is not JSON") from None
        return Reply(status, None)


def _seconds_to_wait(headers: httpx2.Headers) -> str | None:
    """`Retry-After` in seconds (RFC 9110 section 10.2.3). A date is compared with the upstream's own clock."""
    told = headers.get("retry-after")
    try:
        until = parsedate_to_datetime(told or "")
        from_then_on = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return str(max(0, math.ceil((until - from_then_on).total_seconds())))
    except (ValueError, TypeError):  # seconds already, no date at all, or one without its zone
        return told


async def read_body(response: httpx2.Response, longest: int) -> bytes:
    """The bytes of `response`.

    Raises:
        httpx2.RemoteProtocolError: there are more than `longest`.

    """
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > longest:
            raise httpx2.RemoteProtocolError("the answer is too large")
    return bytes(body)


async def parse(body: bytes, dialect: Dialect | None) -> Any:
    """JSON in today's words; None for nothing.

    Raises:
        orjson.JSONDecodeError: it is not JSON.

    """
    if not body:
        return None
    if len(body) < HEAVY_BYTES:
        return _parsed(body, dialect)
    return await asyncio.to_thread(partial(_parsed, body, dialect))


def _parsed(body: bytes, dialect: Dialect | None) -> Any:
    parsed = orjson.loads(body)
    if dialect is None or (dialect is Dialect.CURRENT and not may_hold_slips(body)):
        return parsed
    return from_wire(dialect, parsed)
