"""The process's Prometheus metrics, and who may read them."""

import hmac
import re

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from app.origins import is_loopback
from mcp_server.events import ToolCalled

FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Seconds. A tool call takes a millisecond or a minute."""

BREAKER_STATES = {"closed": 0, "half-open": 1, "open": 2}


class Metrics:
    """One registry for one application: nothing is global, so two applications in one process do not mix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter("http_requests_total", "HTTP requests", ["method", "status"], registry=self.registry)
        self._request_seconds = Histogram(
            "http_request_duration_seconds", "HTTP requests", registry=self.registry, buckets=FAST
        )
        self._calls = Counter("mcp_tool_calls_total", "Tool calls", ["tool", "outcome", "code"], registry=self.registry)
        self._call_seconds = Histogram(
            "mcp_tool_call_duration_seconds", "Tool calls", ["tool"], registry=self.registry, buckets=FAST
        )
        self._upstream_seconds = Histogram(
            "upstream_request_duration_seconds",
            "Calls of the internal API",
            ["operation", "outcome"],
            registry=self.registry,
            buckets=FAST,
        )
        self._breakers = Gauge(
            "upstream_breaker_state", "0 closed, 1 half open, 2 open", ["breaker"], registry=self.registry
        )
        self.calls = 0
        self.failures = 0

    def request(self, method: str, status: int, seconds: float) -> None:
        self._requests.labels(method if method in _METHODS else "other", str(status)).inc()
        self._request_seconds.observe(seconds)

    def tool(self, event: ToolCalled) -> None:
        self.calls += 1
        self.failures += event.outcome != "success"
        self._calls.labels(event.tool, event.outcome, event.code or "").inc()
        self._call_seconds.labels(event.tool).observe(event.seconds)

    def upstream(self, operation: str, outcome: str, seconds: float) -> None:
        self._upstream_seconds.labels(operation, outcome).observe(seconds)

    def text(self, breakers: dict[str, str]) -> bytes:
        """The exposition, with the breakers as they are at this moment."""
        for name, state in breakers.items():
            self._breakers.labels(name).set(BREAKER_STATES[state])
        return generate_latest(self.registry)


_PORT = re.compile(r":\d*$")
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


def may_scrape(request: Request, token: SecretStr | None) -> bool:
    """With a token set: whoever has it. Without: only this machine itself, spoken to directly."""
    if token is not None:
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {token.get_secret_value()}".encode())
    if {"forwarded", "x-forwarded-for", "x-real-ip"} & set(request.headers.keys()):
        return False
    # The name too: a page may have its own point here, and then asks from this machine.
    name = _PORT.sub("", request.headers.get("host", ""))
    return is_loopback(name) and request.client is not None and is_loopback(request.client.host)


def exposition(body: bytes) -> Response:
    return Response(body, media_type=CONTENT_TYPE_LATEST, headers={"cache-control": "no-store"})
