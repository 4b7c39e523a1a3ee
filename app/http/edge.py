"""The middlewares around every route, in their order."""

from starlette.middleware import Middleware

from app.audit.middleware import AuditMiddleware
from app.http.body import BodyMiddleware
from app.http.client_address import ClientAddressMiddleware
from app.http.discovery import PATH as METADATA_PATH
from app.http.headers import SecurityHeadersMiddleware
from app.http.open_cors import OpenCorsMiddleware
from app.http.origin import PUBLIC, OriginMiddleware
from app.http.rate_limit import LimitHeadersMiddleware
from app.http.refusals import Challenges, RefusalMiddleware
from app.http.request_log import RequestLogMiddleware
from app.http.scoped_cors import PAGES, ScopedCorsMiddleware
from app.metrics.metrics import Metrics
from app.settings import Settings
from app.settings.origin_rules import origin_rules
from mcp_server.audit.recorder import Recorder
from mcp_server.limits.headers import EXPOSED
from mcp_server.observability.tracing import Tracer
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
