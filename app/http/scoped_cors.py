"""CORS for what other origins' pages may call, and none for the pages that a person sees."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

PAGES = (
    "/account",
    "/connect",
    "/login",
    "/consent",
    "/oauth/authorize",
    "/oauth/callback",
    "/oauth/consent",
    "/oauth/device",
    "/oauth/login",
    "/oauth/logout",
)
"""What a person's browser visits."""


def is_page(path: str, pages: Sequence[str] = PAGES) -> bool:
    """Whether it is one of `pages`, or lies below one."""
    return any(path == page or path.startswith(f"{page}/") for page in pages)


class ScopedCorsMiddleware:
    """Starlette's CORS, but on the paths that `without` names, or that lie below them.

    Those answer to a cookie: nothing of another origin is to read them, not even one that may call the tools.
    """

    def __init__(self, app: ASGIApp, *, without: Sequence[str], options: Mapping[str, Any]) -> None:
        self.app, self.cors = app, CORSMiddleware(app, **options)
        self.without = tuple(without)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        await (self.app if is_page(path, self.without) else self.cors)(scope, receive, send)
