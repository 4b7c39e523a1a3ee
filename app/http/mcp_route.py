"""`/mcp`: health for operators on GET, the protocol on POST, nothing else."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.authorize import AuthorizeMiddleware
from app.http.caller import Authenticator, CallerMiddleware
from app.http.concurrency_limit import AtOnce, AtOnceMiddleware
from app.http.rate_limit import Guesses, RateLimitMiddleware, RefusedMiddleware
from app.http.rpc import RpcMiddleware
from mcp_server.limits.limits import Limits
from mcp_server.toolset import Tool

ALLOWED = "GET, POST, OPTIONS"


class McpRoute:
    """The one endpoint. The credential is checked before the body is read."""

    def __init__(
        self,
        endpoint: ASGIApp,
        health: Callable[[Request], Awaitable[Response]],
        *,
        authenticator: Authenticator,
        tools: Mapping[str, Tool],
        max_body: int,
        limits: Limits | None,
        guesses: Guesses | None,
        at_once: AtOnce,
    ) -> None:
        self.health = health
        call: ASGIApp = AuthorizeMiddleware(endpoint, tools)
        known = RpcMiddleware(RateLimitMiddleware(call, limits) if limits else call, max_body=max_body)
        self.post: ASGIApp = CallerMiddleware(AtOnceMiddleware(known, at_once), authenticator, tools)
        if guesses is not None:
            self.post = RefusedMiddleware(self.post, guesses)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["method"]:
            case "POST":
                await self.post(scope, receive, send)
            case "GET" | "HEAD":
                response = await self.health(Request(scope, receive))
                await response(scope, receive, send)
            case _:
                await Response(status_code=405, headers={"allow": ALLOWED})(scope, receive, send)
