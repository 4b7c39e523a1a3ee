"""An answer of the internal API, read whole: bounded, parsed, and in today's words."""

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import httpx2
import orjson
import structlog

from mcp_server.minds_api.dialect import Dialect, from_wire, may_hold_slips

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""An answer beyond this is not the internal API's: memory stays bounded whatever it sends."""

HEAVY_BYTES = 256 * 1024
"""From here on an answer is read in a thread: reading it takes milliseconds that belong to other callers."""

_SECONDS = re.compile(r"[0-9]{1,9}")

log = structlog.get_logger(__name__)


MAX_RETRY_AFTER = 3600.0
"""Seconds. Who is told to wait for longer than an hour had better ask again than believe it."""


class UnreadableAnswer(httpx2.RemoteProtocolError):
    """It came, and is not what the internal API answers: too large, or not JSON."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the status, the parsed body, and the seconds to wait where it says so."""

    status: int
    body: Any
    retry_after: float | None = None


async def read_reply(response: httpx2.Response, dialect: Dialect | None) -> Reply:
    """Read `response` to its end; None is for what is the same in all dialects.

    Raises:
        UnreadableAnswer: a success is too large, or is not JSON.

    """
    status = response.status_code
    if httpx2.codes.is_redirect(status):
        log.warning("upstream_moved", to=response.headers.get("location", "").partition("?")[0][:200])
        return Reply(status, None)
    body = await read_body(response, MAX_ANSWER_BYTES)
    try:
        told = await parse(body, dialect)
    except orjson.JSONDecodeError:
        if status < httpx2.codes.BAD_REQUEST:
            raise UnreadableAnswer("the answer is not JSON") from None
        told = None
    return Reply(status, told, retry_after(response.headers, told) if status in WAITING else None)


WAITING = frozenset({httpx2.codes.TOO_MANY_REQUESTS, httpx2.codes.SERVICE_UNAVAILABLE})
"""Statuses that may come with a time to wait (RFC 9110 section 10.2.3, RFC 6585 section 4)."""


def retry_after(headers: httpx2.Headers, body: Any) -> float | None:
    """The seconds to wait: by the header, else by `retryAfter` of the body or of its `data`. At most an hour."""
    seconds = _of_header(headers)
    if seconds is None and isinstance(body, Mapping):
        data = body.get("data")
        seconds = _of_body(body.get("retryAfter"))
        if seconds is None and isinstance(data, Mapping):
            seconds = _of_body(data.get("retryAfter"))
    return None if seconds is None else min(seconds, MAX_RETRY_AFTER)


LLM_FAULTS = frozenset({"model_not_found", "invalid_prompt", "unsupported_model_capability", "ai_generation_error"})
"""`data.errorType` (minds-api.md section 3): the internal API is well, the language model behind it did not answer."""


def llm_fault(body: Any) -> str | None:
    """The word for what went wrong between the internal API and its language model, where `body` is about that."""
    data = body.get("data") if isinstance(body, Mapping) else None
    word = data.get("errorType") if isinstance(data, Mapping) else None
    return word if isinstance(word, str) and word in LLM_FAULTS else None


def _of_header(headers: httpx2.Headers) -> float | None:
    """Seconds, or a date (RFC 9110 section 10.2.3), which is compared with the upstream's own clock."""
    told = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(told):
        return float(told)
    try:
        until = parsedate_to_datetime(told)
        from_then_on = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, math.ceil((until - from_then_on).total_seconds()))
    except (ValueError, TypeError, OverflowError):  # no date at all, or one without its zone
        return None


def _of_body(told: Any) -> float | None:
    if isinstance(told, str) and _SECONDS.fullmatch(told.strip()):
        return float(told)
    is_number = isinstance(told, int | float) and not isinstance(told, bool)
    return float(told) if is_number and 0 <= told < math.inf else None


async def read_body(response: httpx2.Response, longest: int) -> bytes:
    """The bytes of `response`.

    Raises:
        UnreadableAnswer: there are more than `longest`.

    """
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > longest:
            raise UnreadableAnswer("the answer is too large")
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
