"""The body of a request: how long it may take to come, and how large it may be."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.refusals import RequestTimeout, UnsupportedMediaType
from mcp_server.errors import GatewayError, ParseError
from mcp_server.protocol.envelope import BodyTooLarge
from mcp_server.request_context import current_context

STREAMED = ("/mcp", "/api/", "/personas", "/panels")
"""Their routes know who sends before they read a byte, and have limits of their own; they read as the body comes."""

MAX_FORM = 128 * 1024
"""Bytes of a body for any other path: forms and client metadata, whose readers stop there or earlier."""

UNREAD, LARGEST = 256 * 1024, 64 * 1024 * 1024
"""Declared lengths between which a refused body is read before its sender is answered.

Caddy and other servers written in Go close a connection of HTTP/1.1 of whose body more than 256 KiB were not read. Who
still sends then finds it broken, and is not told what was wrong. Larger than any upload is no client of ours.
"""

MAX_LENGTH_DIGITS = 18
"""Of a Content-Length: more of them are not a size but an attack on a reader of numbers."""

MIN_RATE = 32 * 1024
"""Bytes that buy a second more: a large body over a thin line is no attack, a byte a second is."""


class BodyMiddleware:
    """Ends a request whose body is late (408) or breaks off (400), whatever its route would have made of that."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = current_context.get().headers if scope["type"] == "http" else Headers()
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self.app(scope, receive, send)  # no body was announced (RFC 9112 section 6.3)
            return
        body = TimedBody(receive, asyncio.get_running_loop().time() + self.seconds)
        try:
            if scope["path"].startswith(STREAMED):
                await self.app(scope, body.receive, send)
            else:
                content = await read_body(body.receive, MAX_FORM)
                await self.app(scope, replaying(content, receive), send)
        except GatewayError:
            if _is_sent_unasked(headers):
                await body.discard(self.seconds)
            raise


class LateBody(RequestTimeout, ClientDisconnect):
    """To every reader of a body as if the client were gone; to the client a 408."""


class TornBody(ParseError, ClientDisconnect):
    """The sender's doing: no fault of ours, and no trace in the log."""

    title = "The body broke off"


@dataclass(slots=True)
class TimedBody:
    """A body on its way, with a deadline that each part of it moves."""

    more: Receive
    deadline: float
    is_whole: bool = False

    async def receive(self) -> Message:
        """The next message.

        Raises `LateBody`: the deadline has passed; `TornBody`: the client is gone before the end.
        """
        if self.is_whole:
            return await self.more()
        try:
            async with asyncio.timeout_at(self.deadline):
                message = await self.more()
        except TimeoutError:
            raise LateBody from None
        if message["type"] == "http.disconnect":
            raise TornBody  # what came may look whole, and is not what was sent
        self.deadline += len(message.get("body", b"")) / MIN_RATE
        self.is_whole = not message.get("more_body", False)
        return message

    async def discard(self, seconds: float) -> None:
        """Read the rest and keep nothing; for no longer than this, however fast it comes."""
        with suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(seconds):
                while not self.is_whole:
                    await self.receive()


async def read_json(headers: Headers, receive: Receive, limit: int) -> bytes:
    """The body of a POST of JSON.

    Raises `UnsupportedMediaType`: it says that it is something else; `BodyTooLarge`: it is longer than `limit` bytes.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType
    declared = headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > MAX_LENGTH_DIGITS or int(declared) > limit):
        raise BodyTooLarge(limit)
    return await read_body(receive, limit)


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole of it. Raises BodyTooLarge."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > limit:
            raise BodyTooLarge(limit)
        if not message.get("more_body", False):
            return bytes(body)


def replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that brings `body` first."""
    replayed = False

    async def replay() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()  # the real one, so that a disconnect is still seen
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _is_sent_unasked(headers: Headers) -> bool:
    """Whether its sender sends it without having been asked to (RFC 9110, section 10.1.1), and says how long it is."""
    declared = headers.get("content-length", "")
    is_large = declared.isdecimal() and len(declared) <= len(str(LARGEST)) and UNREAD < int(declared) <= LARGEST
    return is_large and "100-continue" not in headers.get("expect", "").lower()
