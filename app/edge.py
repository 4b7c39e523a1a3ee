"""The middlewares around every route, in their order."""

from starlette.middleware import Middleware

from app.discovery import PATH as METADATA_PATH
from app.errors import Challenges, RefusalMiddleware
from app.middleware.headers import SecurityHeadersMiddleware
from app.middleware.open_cors import OpenCorsMiddleware
from app.middleware.origin import PUBLIC, OriginMiddleware, OriginRules
from app.middleware.request_log import Observe, RequestLogMiddleware
from app.middleware.scoped_cors import PAGES, ScopedCorsMiddleware
from app.settings import Settings
from oauth.endpoints.pages import Pages

CORS_HEADERS = [
    "Authorization",
    "Content-Type",
    "Accept",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Session-Id",
    "X-Request-ID",
]
EXPOSED_HEADERS = ["WWW-Authenticate", "Mcp-Session-Id", "Retry-After", "X-Request-ID"]


def edge(settings: Settings, observe: Observe, pages: Pages) -> list[Middleware]:
    """Outermost first. CORS stands outside the refusals, so that a browser may read them too.

    `pages` shows refusals to people.
    """
    rules = OriginRules(settings.site_url, settings.own_url, settings.cors_origins)
    in_results = frozenset(settings.challenge_in_results)
    challenges = Challenges(f"{settings.site_url}{METADATA_PATH}/mcp", in_results)
    return [
        Middleware(RequestLogMiddleware, observe=observe),
        Middleware(SecurityHeadersMiddleware, https=settings.is_production),
        Middleware(OpenCorsMiddleware, prefixes=[PUBLIC]),
        Middleware(
            ScopedCorsMiddleware,
            without=PAGES,
            options={
                "allow_origins": sorted(rules.origins),
                "allow_origin_regex": rules.expression or None,
                "allow_methods": ["GET", "POST", "DELETE", "OPTIONS"],
                "allow_headers": CORS_HEADERS,
                "expose_headers": EXPOSED_HEADERS,
            },
        ),
        Middleware(RefusalMiddleware, challenges=challenges, pages=pages),
        Middleware(OriginMiddleware, rules=rules),
    ]
