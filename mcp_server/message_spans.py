"""One span for each message of the protocol, in place of the protocol library's own.

The library's takes `baggage` over, writes the texts of exceptions into spans, and lets callers choose their names.
"""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from mcp_server.observability.redaction import redact_text
from mcp_server.observability.tracing import Span, Trace, Tracer, current_trace, read_meta
from mcp_server.toolset import Context

METHODS = frozenset(
    {
        "completion/complete",
        "initialize",
        "notifications/cancelled",
        "notifications/initialized",
        "ping",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "server/discover",
        "tools/call",
        "tools/list",
    }
)
OTHER = "_OTHER"
"""OpenTelemetry's word for what is not among the known."""

LONGEST_ID = 64


class MessageSpans:
    """A middleware of the server. A trace in `_meta` is nearer to the message than that of the HTTP request."""

    def __init__(self, tools: Collection[str], tracer: Tracer | None) -> None:
        self._tools, self._tracer = frozenset(tools), tracer

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        own = read_meta(ctx.meta) if ctx.meta is not None and "traceparent" in ctx.meta else None
        if self._tracer is None and own is None:
            return await call_next(ctx)
        around = current_trace.get()
        if self._tracer is None:
            with _current(own):
                return await call_next(ctx)
        links = [around] if own is not None and around is not None else []
        span = self._span(self._tracer, ctx, own or around, links)
        try:
            with _current(span.trace):
                result = await call_next(ctx)
        except MCPError as error:
            span.put("rpc.response.status_code", str(error.error.code))
            raise
        else:
            if _is_error(result):
                span.fail("tool_error")
            return result
        finally:
            # Of a bug only the name of its class is shown: its text may hold anything.
            if (fault := sys.exception()) is not None:
                span.fail(str(fault.error.code) if isinstance(fault, MCPError) else type(fault).__name__)
            span.end()

    def _span(self, tracer: Tracer, ctx: Context, parent: Trace | None, links: list[Trace]) -> Span:
        method = ctx.method if ctx.method in METHODS else OTHER
        about: dict[str, str | int] = {
            "mcp.method.name": method,
            "mcp.protocol.version": ctx.protocol_version,
            "network.transport": "pipe" if ctx.request is None else "tcp",
        }
        if ctx.request_id is not None:
            about["jsonrpc.request.id"] = redact_text(str(ctx.request_id)[:LONGEST_ID])
        name = (ctx.params or {}).get("name")
        if method == "tools/call":
            about["gen_ai.operation.name"] = "execute_tool"
        if method == "tools/call" and isinstance(name, str) and name in self._tools:
            about["gen_ai.tool.name"] = name
            return tracer.start(f"{method} {name}", "server", about, parent, links)
        return tracer.start(method, "server", about, parent, links)


@contextmanager
def _current(trace: Trace | None) -> Iterator[None]:
    token = current_trace.set(trace)
    try:
        yield
    finally:
        current_trace.reset(token)


def _is_error(result: HandlerResult) -> bool:
    if isinstance(result, types.CallToolResult):
        return result.is_error is True
    return isinstance(result, dict) and result.get("isError") is True
