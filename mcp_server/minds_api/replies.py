"""Answers of the internal API, whole or event by event: parsed, in today's words, and what they say of the server."""

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import httpx2
import orjson
import structlog

from mcp_server.minds_api.dialect import MARKS, Dialect, from_wire
from mcp_server.toolkit.json_coercion import mapping, number, word
from mcp_server.upstream.event_stream import read_events as upstream_events
from mcp_server.upstream.failure_mapping import CLIENT_ERRORS, REDIRECTS, UnreadableAnswer, Verdict, failure_of, judge

NAME = "The internal API"

ENDS = frozenset({"result", "error", "done"})
"""Events after which a stream may end. One that ends before them broke off, however politely."""

HEAVY_BYTES = 256 * 1024
"""From here on an answer is read in a thread: reading it takes milliseconds that belong to other callers."""

_SECONDS = re.compile(r"[0-9]{1,9}")

log = structlog.get_logger(__name__)

MAX_RETRY_AFTER = 3600.0
"""Seconds. After an hour it is better to ask again than to believe a longer time."""


class Reply(NamedTuple):
    """What came back: the status, the parsed body, and the seconds to wait where it says so."""

    status: int
    body: Any
    retry_after: float | None = None


async def read_reply(response: httpx2.Response, content: bytes, dialect: Dialect | None) -> None:
    """Parse `content`, the whole body of `response`, whose extension `reply` becomes what it says. A `dialect` of None
    is for what is the same in all dialects.

    Raises `UnreadableAnswer`: a success is not JSON.
    """
    status, body = response.status_code, None
    if REDIRECTS <= status < CLIENT_ERRORS:
        log.warning("upstream_moved", to=response.headers.get("location", "").partition("?")[0][:200])
    else:
        try:
            body = await parse(content, dialect)
        except orjson.JSONDecodeError:
            if status < CLIENT_ERRORS:
                raise UnreadableAnswer("the answer is not JSON") from None
    wait = retry_after(response.headers, body) if status in WAITING else None
    response.extensions |= {"reply": Reply(status, body, wait), "retry_after": wait}


def judge_reply(outcome: httpx2.Response | Exception) -> Verdict:
    """As usual, but for a language model that did not answer: the server that says so is well."""
    verdict = judge(outcome)
    if verdict is Verdict.FAULT and isinstance(outcome, httpx2.Response):
        return Verdict.OK if llm_fault(outcome.extensions["reply"].body) is not None else verdict
    return verdict


async def read_events(response: httpx2.Response, dialect: Dialect | None) -> AsyncGenerator[Mapping[str, Any], None]:
    """The events of a stream as objects in today's words, one by one, up to `done`.

    Raises `GatewayError`: it was silent for too long, broke off, or cannot be read; the breaker counts that.
    """
    stream = response.extensions["open_stream"]
    stream.is_whole = False
    try:
        async with aclosing(upstream_events(response)) as events:
            async for event in events:
                data = await _object(event, dialect)
                if data is None:
                    continue
                stream.first_event()
                stream.is_whole = stream.is_whole or data.get("type") in ENDS
                yield data
                if data.get("type") == "done":
                    return
        if not stream.is_whole:
            raise httpx2.RemoteProtocolError("the stream broke off")
    except (TimeoutError, httpx2.RequestError) as error:
        stream.fail(error)
        raise failure_of(error, NAME)[0] from None


async def _object(event: httpx2.ServerSentEvent, dialect: Dialect | None) -> Mapping[str, Any] | None:
    """The event as one object; where its kind stands beside the data, it is put into it."""
    try:
        data = await parse(event.data.encode(), dialect)
    except orjson.JSONDecodeError:
        raise UnreadableAnswer("an event is not JSON") from None
    if not isinstance(data, dict):
        return None
    return data if event.event == "message" or "type" in data else {"type": event.event, **data}


WAITING = frozenset({429, 503})
"""Statuses that may come with a time to wait (RFC 9110 section 10.2.3, RFC 6585 section 4)."""


def retry_after(headers: httpx2.Headers, body: Any) -> float | None:
    """The seconds to wait: by the header, else by `retryAfter` of the body or of its `data`. At most an hour."""
    whole = mapping(body)
    said = [_of_header(headers), _of_body(whole), _of_body(mapping(whole.get("data")))]
    return next((min(seconds, MAX_RETRY_AFTER) for seconds in said if seconds is not None), None)


LLM_FAULTS = frozenset({"model_not_found", "invalid_prompt", "unsupported_model_capability", "ai_generation_error"})
"""`data.errorType` (minds-api.md section 3): the internal API is well, the language model behind it did not answer."""


def llm_fault(body: Any) -> str | None:
    """The word for what went wrong between the internal API and its language model, where `body` is about that."""
    fault = word(mapping(mapping(body).get("data")), "errorType")
    return fault if fault in LLM_FAULTS else None


def _of_header(headers: httpx2.Headers) -> float | None:
    """Seconds, or a date (RFC 9110 section 10.2.3), which is compared with the upstream's own clock."""
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
        from_then_on = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, math.ceil((until - from_then_on).total_seconds()))
    except (ValueError, TypeError, OverflowError):  # no date at all, or one without its zone
        return None


def _of_body(body: Mapping[str, Any]) -> float | None:
    stated, seconds = body.get("retryAfter"), number(body, "retryAfter")
    if isinstance(stated, str) and _SECONDS.fullmatch(stated.strip()):
        return float(stated)
    return seconds if seconds is not None and 0 <= seconds < math.inf else None


async def parse(body: bytes, dialect: Dialect | None) -> Any:
    """JSON in today's words; None for nothing. Raises orjson.JSONDecodeError: it is not JSON."""
    if not body:
        return None
    return _parsed(body, dialect) if len(body) < HEAVY_BYTES else await asyncio.to_thread(_parsed, body, dialect)


def _parsed(body: bytes, dialect: Dialect | None) -> Any:
    parsed = orjson.loads(body)
    if dialect is None or (dialect is Dialect.CURRENT and not any(map(body.__contains__, MARKS))):
        return parsed
    return from_wire(dialect, parsed)
