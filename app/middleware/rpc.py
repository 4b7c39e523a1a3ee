"""The body of a POST, read once and with a limit: what it asks for stands in `scope["rpc"]` for all that follow."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import RequestTimeout, UnsupportedMediaType
from mcp_server.envelope import BodyTooLarge, parse
from mcp_server.errors import ParseError

BODY_SECONDS = 30.0
"""For the whole body to arrive: whoever sends a byte a second holds nothing for longer."""

LONGEST_LENGTH = 18
"""Digits of a Content-Length: more of them are not a size but an attack on a reader of numbers."""


class RpcMiddleware:
    """Reads, parses, and replays the body to whoever reads it next."""

    def __init__(self, app: ASGIApp, *, max_body: int) -> None:
        self.app, self.max_body = app, max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise UnsupportedMediaType
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType
        body = await self._read(headers, receive)
        scope["rpc"] = parse(body)
        await self.app(scope, _replaying(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and (len(declared) > LONGEST_LENGTH or int(declared) > self.max_body):
            raise BodyTooLarge
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._whole(receive)
        except TimeoutError:
            raise RequestTimeout from None

    async def _whole(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ParseError("The body broke off")  # what came may look whole, and is not what was sent
            body += message.get("body", b"")
            if len(body) > self.max_body:
                raise BodyTooLarge
            if not message.get("more_body", False):
                return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    replayed = False

    async def replay() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()  # the real one, so that a disconnect is still seen
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
