"""The body of a POST, read once and with a limit: what it asks for stands in `scope["rpc"]` for all that follow."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import BodyTooLarge, UnsupportedMediaType
from mcp_server.envelope import parse


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
        if declared.isdigit() and int(declared) > self.max_body:
            raise BodyTooLarge
        body = bytearray()
        while True:
            message = await receive()
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
