"""One span for each message of the protocol, in place of the protocol library's own.

The library's takes `baggage` over, writes the texts of exceptions into spans, and lets callers choose their names.
"""

import sys
from collections.abc import Collection

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS

from mcp_server.observability.redaction import redact_text
from mcp_server.observability.tracing import Span, Trace, Tracer, current_trace, read_meta
from mcp_server.toolset import Context

METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
OTHER = "_OTHER"
"""OpenTelemetry's word for what is not among the known."""

LONGEST_ID = 64


class MessageSpans:
    """A middleware of the server. A trace in `_meta` is nearer to the message than that of the HTTP request."""

    def __init__(self, tools: Collection[str], tracer: Tracer | None) -> None:
        self._tools, self._tracer = frozenset(tools), tracer

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        own, around = read_meta(ctx.meta) if ctx.meta else None, current_trace.get()
        if self._tracer is None and own is None:
            return await call_next(ctx)
        links = [around] if own is not None and around is not None else []
        span = self._span(self._tracer, ctx, own or around, links) if self._tracer is not None else None
        token = current_trace.set(span.trace if span is not None else own)
        fault = None
        try:
            result = await call_next(ctx)
        except MCPError as error:
            fault = str(error.error.code)
            if span is not None:
                span.put("rpc.response.status_code", fault)
            raise
        else:
            is_error = result.get("isError") if isinstance(result, dict) else getattr(result, "is_error", False)
            fault = "tool_error" if is_error else None
            return result
        finally:
            current_trace.reset(token)
            if fault is None and (bug := sys.exception()) is not None:
                fault = type(bug).__name__  # only its class is shown: its text may hold anything
            if span is not None:
                if fault is not None:
                    span.fail(fault)
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
