"""The outermost middleware: one context, one id, one log line, one audit trail and one set of headers a request.

The query stands in none of them: it may hold codes and states. Neither does the path in spans: it may be a signed link.
"""

import asyncio
import ipaddress
import re
import time
from collections.abc import Sequence
from contextvars import ContextVar, Token
from functools import lru_cache
from secrets import token_hex
from typing import Any

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.audit.recording import request_ended
from app.http.headers import always
from app.http.refusals import Refusals, refusal_of
from app.metrics.metrics import METHODS, Metrics, area
from mcp_server.audit.entries import Origin, current_origin
from mcp_server.audit.recorder import Recorder
from mcp_server.limits.headers import EXPOSED
from mcp_server.observability.redaction import redact_text
from mcp_server.observability.tracing import Span, Trace, Tracer, begin, current_request, current_trace, read
from mcp_server.request_context import RequestContext, RequestHeaders, current_context

Before = list[tuple[ContextVar[Any], Token[Any]]]
"""Context variables that a request has set, with what they held before it: a task may serve several requests."""

QUIET = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked every few seconds by machines; logging them would bury the rest."""

FAULTS = 500  # statuses from here on are the service's own fault

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
MAX_HOPS = 16  # proxies that are looked through; more are no chain but an attack on its reader

LIMIT_HEADERS = frozenset(name.lower().encode() for name in EXPOSED)

_CLEAN_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")

log = structlog.get_logger(__name__)


class RequestContextMiddleware:
    """Makes the `RequestContext`, renders what the layers below raise, and completes the head of every answer.

    A caller's `X-Request-ID` is taken over if it is short and plain, and sent back; its `traceparent` likewise. Both go
    along to the internal API.
    """

    def __init__(
        self,
        app: ASGIApp,
        refusals: Refusals,
        metrics: Metrics,
        recorder: Recorder,
        tracer: Tracer | None = None,
        *,
        trusted_proxies: Sequence[str] = (),
        https: bool = False,
    ) -> None:
        self.app, self.refusals = app, refusals
        self.metrics, self.recorder, self.tracer = metrics, recorder, tracer
        self._trusted = [ipaddress.ip_network(network) for network in trusted_proxies]
        self._always = [(name.encode(), value.encode()) for name, value in always(https=https).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started_at, status = time.perf_counter(), None
        context, origin, span, before = self._begin(scope)

        async def respond(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                self._complete(message, context)
                if origin.must_be_written:  # what changes who may do what is in the log before its answer leaves
                    await self.recorder.settle()
                status = message["status"]
            await send(message)

        self.metrics.answering += 1
        try:
            await self.app(scope, receive, respond)
        except (Exception, asyncio.CancelledError) as fault:
            context.refusal = refusal_of(fault, context.id)
            if status is not None:
                raise  # the server cuts the connection: half an answer must not look whole
            await self.refusals.response(context.refusal, scope, context.envelope)(scope, receive, respond)
        finally:
            status = status or FAULTS
            request_ended(self.recorder, context, scope["path"], status)
            self._end(scope, context, status, time.perf_counter() - started_at, span)
            for variable, token in before:
                variable.reset(token)

    def _begin(self, scope: Scope) -> tuple[RequestContext, Origin, Span | None, Before]:
        """The context of a new request, for all that runs in its task; what trusted proxies say becomes its client."""
        headers = RequestHeaders(scope["headers"])
        stated = headers.get("x-request-id", "")
        # Not an odd one, nor one that has the shape of a secret: it will stand in logs, and travels on.
        is_clean = _CLEAN_ID.fullmatch(stated) and redact_text(stated) == stated
        context = RequestContext(stated if is_clean else token_hex(16), headers)
        if scope.get("client"):
            peer, port = scope["client"]
            forwarded = headers.getlist("x-forwarded-for") if self._trusted else []
            context.address = client_address(peer, forwarded, self._trusted)
            scope["client"] = (context.address, port if context.address == peer else 0)
        if headers.get("user-agent", "").partition("/")[0].strip().lower() in self.refusals.result_agents:
            context.challenge = self.refusals.challenge
        parents = headers.getlist("traceparent")  # two of them are none (W3C Trace Context section 3.2)
        trace = read(parents[0], ",".join(headers.getlist("tracestate"))) if len(parents) == 1 else None
        span = self._span(self.tracer, scope, trace) if self.tracer is not None else None
        trace = trace if span is None else span.trace
        origin = Origin(context.id, context.address)
        values: dict[ContextVar[Any], Any] = {
            current_context: context,
            current_origin: origin,
            current_request: context.id,
            current_trace: trace or begin(),
        }
        before = [(variable, variable.set(value)) for variable, value in values.items()]
        return context, origin, span, before

    def _complete(self, message: Message, context: RequestContext) -> None:
        """The status of what a tool refused, and the headers of every answer.

        The protocol library answers a tool's own error codes with 200; its refusal stands in the context.
        """
        message.setdefault("headers", [])
        headers = MutableHeaders(scope=message)
        if context.refusal is not None and headers.get("content-type", "").startswith("application/json"):
            message["status"] = context.refusal.http_status
            headers.update(self.refusals.headers(context.refusal))
        if context.limit_headers is not None:
            # Not one by one: to look each of the five up costs a fifth of the whole limit.
            headers.raw[:] = [one for one in headers.raw if one[0] not in LIMIT_HEADERS] + context.limit_headers
        if context.write_cors is not None:
            context.write_cors(headers)
        present = {name for name, _ in headers.raw}
        headers.raw.extend([one for one in self._always if one[0] not in present])  # a page has set its own policy
        headers.append("x-request-id", context.id)

    def _span(self, tracer: Tracer, scope: Scope, parent: Trace | None) -> Span | None:
        if scope["path"] in QUIET:
            return None
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        about = {"http.request.method": method, "url.scheme": scope["scheme"], "gateway.area": area(scope["path"])}
        return tracer.start(f"{method} {about['gateway.area']}", "server", about, parent)

    def _end(self, scope: Scope, context: RequestContext, status: int, seconds: float, span: Span | None) -> None:
        self.metrics.request_ended(scope["method"], scope["path"], status, seconds)
        if span is not None:
            span.put("http.response.status_code", status)
            if status >= FAULTS:
                span.fail(str(status))
            span.end()
        if scope["path"] in QUIET:
            return
        line = {
            "method": scope["method"],
            "path": scope["path"][:200],
            "status": status,
            "ms": round(seconds * 1000, 2),
        }
        if (envelope := context.envelope) is not None:
            line |= {"rpc": envelope.method[:64], "tool": (envelope.tool_name or "")[:128]}
        log.info("request", **line)


def client_address(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The client's address in its canonical form, when `peer` is connected and these are the lines of X-Forwarded-For.

    Each proxy writes the address that it was called from at the end of that header. Read from the right, the first
    address that is no trusted proxy's is the client's; what stands left of it is the client's own invention. Other
    headers of this kind (`Forwarded`, `X-Real-IP`, those of CDNs) are not read at all. uvicorn can do that, too. It
    takes a proxy that is connected to a socket for both families (`::ffff:10.0.0.1`) for another one than `10.0.0.1`,
    and any text in the header for an address.
    """
    client = read_address(peer)
    if client is None:
        return peer
    hops = ",".join(forwarded).split(",") if forwarded else []
    for hop in hops[: -MAX_HOPS - 1 : -1]:
        before = read_address(hop) if any(client in network for network in trusted) else None
        if before is None:  # nobody to be believed said it, or it is no address
            break
        client = before
    return str(client)


@lru_cache(maxsize=4_096)
def read_address(text: str) -> Address | None:
    """An address as proxies write it: bare, `[v6]`, with a port, or an IPv4 address in IPv6 form; else None."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address
