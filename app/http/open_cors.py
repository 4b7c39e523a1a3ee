"""Preflights of what pages of any origin may read: discovery documents, asked for with a header of the protocol."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

ANSWER = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, Accept, MCP-Protocol-Version",
    "access-control-max-age": "600",
}
"""Never with credentials: what answers to a cookie is not among these paths."""


class OpenCorsMiddleware:
    """Stands before the CORS of the rest, which knows the origins that may call."""

    def __init__(self, app: ASGIApp, prefixes: Sequence[str]) -> None:
        self.app, self.prefixes = app, tuple(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] == "http" and scope["path"].startswith(self.prefixes)
        if is_open and scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            await Response(status_code=204, headers=ANSWER)(scope, receive, send)
            return
        await self.app(scope, receive, send)
