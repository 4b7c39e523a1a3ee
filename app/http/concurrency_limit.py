"""How many calls one caller may have open at once: a stream costs nothing to open and holds a connection for long."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.headers import at_once_figures, at_once_headers
from oauth.primitives.client_network_key import network_key

RETRY_AFTER = 1
"""Seconds. One of the calls that are open may end at any moment."""


class AtOnce:
    """Counts what is open, in this process alone. `/mcp` and the embedded API have one count between them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def held(self, scope: Scope) -> Iterator[None]:
        """Count the request of `scope` until the block is left.

        Raises:
            RateLimitExceeded: as many are open. The figures on the answer are of this limit, not of any window.

        """
        who = _who(scope)
        if self._open[who] >= self.limit:
            scope["figures"] = at_once_headers(self.limit)
            raise RateLimitExceeded(RETRY_AFTER, rateLimit=at_once_figures(self.limit))
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


class AtOnceMiddleware:
    """Refuses (429) what is too much at once, before its body is read."""

    def __init__(self, app: ASGIApp, at_once: AtOnce) -> None:
        self.app, self._at_once = app, at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._at_once.held(scope):
            await self.app(scope, receive, send)


def _who(scope: Scope) -> str:
    """The account, or where an anonymous caller comes from."""
    caller, client = scope.get("caller"), scope.get("client")
    owner = None if caller is None else caller.owner
    return owner or f"place:{network_key(client[0]) if client else 'unknown'}"
