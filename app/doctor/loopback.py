"""Where the browser comes back to after a sign-in: one path on loopback, for one state (RFC 8252 section 7.3)."""

import asyncio
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

PATH = "/callback"
LONGEST_HEAD = 16 * 1024
HEAD_SECONDS = 10.0
DONE = b"<!doctype html><title>doctor</title><p>The doctor has its answer. You can close this page."


class Callback:
    """Waits for the one request that carries `state`; whatever else knocks is turned away and not waited for."""

    def __init__(self, state: str) -> None:
        self.redirect_uri = ""
        self._state = state
        self._came: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def wait(self, seconds: float) -> dict[str, str] | None:
        """The parameters that the browser brought; None when it did not come in time."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._came)
        except TimeoutError:
            return None

    def take(self, request_line: str) -> HTTPStatus:
        """The status for a request, which is kept when it is the awaited one."""
        method, _, rest = request_line.partition(" ")
        target = urlsplit(rest.partition(" ")[0])
        if target.path != PATH or method != "GET":
            return HTTPStatus.NOT_FOUND
        pairs = parse_qsl(target.query, keep_blank_values=True)
        found = dict(pairs)
        # A page that guesses the port must not be able to end the wait, nor to plant a code (RFC 6749 section 10.12).
        if len(found) != len(pairs) or not hmac.compare_digest(found.get("state", "").encode(), self._state.encode()):
            return HTTPStatus.BAD_REQUEST
        if not self._came.done():
            self._came.set_result(found)
        return HTTPStatus.OK

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request, one short page."""
        # A browser may open connections that it never uses, and cut those it uses.
        with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                status = self.take(head.partition(b"\r\n")[0].decode("latin-1"))
                body = DONE if status == HTTPStatus.OK else b""
                fields = f"Content-Length: {len(body)}\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close"
                safe = "Cache-Control: no-store\r\nReferrer-Policy: no-referrer"
                writer.write(f"HTTP/1.1 {status} \r\n{fields}\r\n{safe}\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def listening(state: str, port: int = 0) -> AsyncIterator[Callback]:
    """A callback on this port of 127.0.0.1, or on a free one.

    Raises:
        OSError: somebody else listens on the port.

    """
    callback = Callback(state)
    server = await asyncio.start_server(callback.answer, "127.0.0.1", port, limit=LONGEST_HEAD)
    callback.redirect_uri = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{PATH}"
    try:
        yield callback
    finally:
        server.close()
