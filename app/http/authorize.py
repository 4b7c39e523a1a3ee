"""Refuses a tool call that its caller may not make while that can still be an HTTP status."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.authorization import require
from mcp_server.toolset import Tool


class AuthorizeMiddleware:
    """Listing is open to everyone; a call needs what its tool says.

    Where the client reads challenges in results, the refusal is left to the pipeline, which asks the same question.
    """

    def __init__(self, app: ASGIApp, tools: Mapping[str, Tool]) -> None:
        self.app, self.tools = app, tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (tool := self.tools.get(scope["rpc"].tool_name or "")) is not None and "challenge" not in scope:
            require(tool, scope["caller"])
        await self.app(scope, receive, send)
