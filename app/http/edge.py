"""What stands before every route.

One request passes, from the outside in: uvicorn, `ErrorStatus`, `RequestContextMiddleware`, `OriginPolicy`,
`BodyMiddleware`, and at `/mcp` `McpRoute` (`app.http.admission`) with the protocol behind it, else Starlette's router.
"""

from collections.abc import Collection

from starlette.middleware import Middleware

from app.http.body import BodyMiddleware
from app.http.error_status import ErrorStatus
from app.http.origin_policy import OriginPolicy, OriginRules
from app.http.refusals import Refusals
from app.http.request_context import RequestContextMiddleware
from app.http.well_known import METADATA_PATH
from app.metrics.metrics import Metrics
from app.settings import Settings
from mcp_server.audit.recorder import Recorder
from mcp_server.observability.tracing import Tracer
from oauth.endpoints.pages import Pages


def edge(
    settings: Settings,
    metrics: Metrics,
    recorder: Recorder,
    pages: Pages,
    tracer: Tracer | None = None,
    scopes: Collection[str] = (),
) -> list[Middleware]:
    """The middlewares, the outermost first. `pages` shows refusals to people; `scopes` are all that tools want."""
    metadata = f"{settings.site_url}{METADATA_PATH}/mcp"
    return [
        Middleware(ErrorStatus, settings.http_error_status),
        Middleware(
            RequestContextMiddleware,
            Refusals(metadata, pages, scopes, settings.challenge_in_results),
            metrics,
            recorder,
            tracer,
            trusted_proxies=settings.trusted_proxies,
            https=settings.is_production,
        ),
        Middleware(OriginPolicy, OriginRules.of(settings)),
        Middleware(BodyMiddleware, seconds=settings.body_seconds),
    ]
