"""The order of the middlewares."""

from app.http.client_address import ClientAddressMiddleware
from app.http.edge import edge
from app.http.headers import SecurityHeadersMiddleware
from app.http.origin import OriginMiddleware
from app.http.refusals import RefusalMiddleware
from app.http.request_log import RequestLogMiddleware
from app.http.scoped_cors import ScopedCorsMiddleware
from app.metrics.metrics import Metrics
from app.settings import Settings
from mcp_server.audit.recorder import Recorder
from oauth.endpoints.pages import Pages


def test_every_request_is_logged_and_refusals_carry_the_headers_of_cors() -> None:
    order: list[object] = [middleware.cls for middleware in edge(Settings(), Metrics(), Recorder(), Pages())]

    assert order[:2] == [ClientAddressMiddleware, RequestLogMiddleware]
    assert order.index(SecurityHeadersMiddleware) < order.index(RefusalMiddleware)
    assert order.index(ScopedCorsMiddleware) < order.index(RefusalMiddleware) < order.index(OriginMiddleware)
