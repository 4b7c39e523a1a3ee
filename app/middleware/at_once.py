"""How many calls one caller may have open at once: a stream costs nothing to open and holds a connection for long."""

from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.errors import RateLimitExceeded
from oauth.places import place_of

RETRY_AFTER = 1
"""Seconds. One of the calls that are open may end at any moment."""


class AtOnceMiddleware:
    """Refuses (429) what exceeds `limit`, before its body is read. Counts in this process alone."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self.app, self.limit = app, limit
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = _who(scope)
        if self._open[who] >= self.limit:
            raise RateLimitExceeded(RETRY_AFTER)
        self._open[who] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


def _who(scope: Scope) -> str:
    """The account, or where an anonymous caller comes from."""
    client = scope.get("client")
    return scope["caller"].owner or f"place:{place_of(client[0]) if client else 'unknown'}"
