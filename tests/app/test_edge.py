"""The order of the middlewares."""

from app.client_address import ClientAddressMiddleware
from app.edge import edge
from app.errors import RefusalMiddleware
from app.metrics import Metrics
from app.middleware.headers import SecurityHeadersMiddleware
from app.middleware.origin import OriginMiddleware
from app.middleware.request_log import RequestLogMiddleware
from app.middleware.scoped_cors import ScopedCorsMiddleware
from app.settings import Settings
from mcp_server.audit.recorder import Recorder
from oauth.endpoints.pages import Pages


def test_every_request_is_logged_and_refusals_carry_the_headers_of_cors() -> None:
    order: list[object] = [middleware.cls for middleware in edge(Settings(), Metrics(), Recorder(), Pages())]

    assert order[:2] == [ClientAddressMiddleware, RequestLogMiddleware]
    assert order.index(SecurityHeadersMiddleware) < order.index(RefusalMiddleware)
    assert order.index(ScopedCorsMiddleware) < order.index(RefusalMiddleware) < order.index(OriginMiddleware)
