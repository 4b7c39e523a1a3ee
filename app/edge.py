"""The middlewares around every route, in their order."""

from starlette.middleware import Middleware

from app.audit.middleware import AuditMiddleware
from app.client_address import ClientAddressMiddleware
from app.discovery import PATH as METADATA_PATH
from app.errors import Challenges, RefusalMiddleware
from app.metrics import Metrics
from app.middleware.body import BodyMiddleware
from app.middleware.headers import SecurityHeadersMiddleware
from app.middleware.open_cors import OpenCorsMiddleware
from app.middleware.origin import PUBLIC, OriginMiddleware
from app.middleware.rate_limit import LimitHeadersMiddleware
from app.middleware.request_log import RequestLogMiddleware
from app.middleware.scoped_cors import PAGES, ScopedCorsMiddleware
from app.origin_rules import origin_rules
from app.settings import Settings
from mcp_server.audit.recorder import Recorder
from mcp_server.limiting.figures import EXPOSED
from mcp_server.tracing import Tracer
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
    "Prefer",
    "traceparent",
    "tracestate",
    "Last-Event-ID",
]
EXPOSED_HEADERS = ["WWW-Authenticate", "Mcp-Session-Id", "Retry-After", "X-Request-ID", *EXPOSED]


def edge(
    settings: Settings, metrics: Metrics, recorder: Recorder, pages: Pages, tracer: Tracer | None = None
) -> list[Middleware]:
    """Outermost first. CORS stands outside the refusals, so that a browser may read them too.

    `pages` shows refusals to people.
    """
    rules = origin_rules(settings)
    in_results = frozenset(settings.challenge_in_results)
    challenges = Challenges(f"{settings.site_url}{METADATA_PATH}/mcp", in_results)
    return [
        Middleware(ClientAddressMiddleware, trusted=settings.trusted_proxies),
        Middleware(RequestLogMiddleware, metrics=metrics, tracer=tracer),
        Middleware(AuditMiddleware, recorder=recorder),
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
        Middleware(LimitHeadersMiddleware),
        Middleware(RefusalMiddleware, challenges=challenges, pages=pages),
        Middleware(OriginMiddleware, rules=rules),
        Middleware(BodyMiddleware, seconds=settings.body_seconds),
    ]
