"""The body of a POST, read once and with a limit: what it asks for stands in `scope["rpc"]` for all that follow."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.body import replaying, whole
from app.http.refusals import UnsupportedMediaType
from mcp_server.protocol.envelope import BodyTooLarge, parse

LONGEST_LENGTH = 18
"""Digits of a Content-Length: more of them are not a size but an attack on a reader of numbers."""


class RpcMiddleware:
    """Reads, parses, and replays the body to whoever reads it next. How long it may take was decided further out."""

    def __init__(self, app: ASGIApp, *, max_body: int) -> None:
        self.app, self.max_body = app, max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise UnsupportedMediaType
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType
        self._check_length(headers.get("content-length", ""))
        body = await whole(receive, self.max_body)
        scope["rpc"] = parse(body)
        await self.app(scope, replaying(body, receive), send)

    def _check_length(self, declared: str) -> None:
        if declared.isdecimal() and (len(declared) > LONGEST_LENGTH or int(declared) > self.max_body):
            raise BodyTooLarge
