"""Around every `tools/call`, on every transport: who, which, how long, what came of it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp_server.authorization import require
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError, Timeout, ToolFailure
from mcp_server.limits.decisions import Decision
from mcp_server.limits.limits import Limits, RateLimitKey
from mcp_server.observability.events import Begin, Outcome, Record, ToolCalled, ToolInvoked, digest, summary_of, unbegun
from mcp_server.observability.tracing import current_request
from mcp_server.results import Result, challenged, failed, rendered, told
from mcp_server.toolset import Context, Progress, Tool
from mcp_server.upstream.deadline import KEPT_BACK, NEVER, Deadline, DeadlinePassed, current_deadline, stated

CLIENT_DEADLINE = "CLIENT_DEADLINE"
"""The word for a call that ended because the time was up for which its client had said that it waits."""

log = structlog.get_logger(__name__)


class InternalError(GatewayError):
    """A bug. The log has the trace, under the request's id; the answer shows that id and nothing else of it."""

    def __init__(self) -> None:
        request_id = current_request.get()
        super().__init__(**({"requestId": request_id} if request_id is not None else {}))


@dataclass(slots=True)
class _Seen:
    """What is told at the end of a call."""

    outcome: Outcome = "cancelled"
    code: str | None = None
    charge: Decision | None = None


class Pipeline:
    """Runs tools. One per server."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        *,
        record: Record,
        begin: Begin = unbegun,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._tools, self._record, self._begin, self._limits, self._clock = tools, record, begin, limits, clock

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """The SDK's `tools/call` handler.

        Raises:
            MCPError: a refusal, with the code of the client's era.

        """
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:128]}")
        caller, seen, started = caller_of(ctx), _Seen(), self._clock()
        self._tell_begin(tool, caller, ctx)
        patience = _patience(ctx)
        token, waits = current_caller.set(caller), current_deadline.set(patience)
        try:
            return told(await self._run(tool, caller, ctx, params.arguments, seen), seen.charge)
        except GatewayError as error:
            seen.code = _word_of(error, patience)
            if (challenge := _challenge(error, ctx)) is not None:
                return challenged(error, challenge)
            raise _on_the_wire(error, ctx) from None
        finally:
            current_caller.reset(token)
            current_deadline.reset(waits)
            self._tell(tool, caller, ctx, params, seen, self._clock() - started)

    async def _run(
        self, tool: Tool, caller: Caller, ctx: Context, arguments: Mapping[str, Any] | None, seen: _Seen
    ) -> Result:
        try:
            if self._limits is not None:  # on stdio; over HTTP the edge has charged the call
                seen.charge = await self._limits.admit(
                    RateLimitKey(caller.owner or "stdio", not caller.is_anonymous), tool.name
                )
            require(tool, caller)
            bound = {**tool.signature.validate(arguments), **_dependencies(tool, ctx)}
            async with _until(current_deadline.get()):
                await ctx.lifespan_context.ready()
            deadline = min(current_deadline.get(), Deadline.after(tool.timeout))
            current_deadline.set(deadline)
            async with _until(deadline):
                result = await tool.run(**bound)
        except ToolFailure as failure:
            seen.outcome, seen.code = "failure", failure.code
            return failed(failure)
        except (TimeoutError, DeadlinePassed):
            seen.outcome = "refused"
            raise Timeout from None
        except GatewayError:
            seen.outcome = "refused"
            raise
        except MCPError:
            seen.outcome = "failure"
            raise
        except Exception as error:
            seen.outcome = "error"
            log.exception("tool_crashed", tool=tool.name)
            raise InternalError from error
        seen.outcome = "success"
        return rendered(result)

    def _tell_begin(self, tool: Tool, caller: Caller, ctx: Context) -> None:
        read_only = bool(tool.annotations.read_only_hint)
        self._begin(ToolInvoked(tool.name, read_only, caller.subject, caller.client_id, *_origin(ctx)))

    def _tell(
        self, tool: Tool, caller: Caller, ctx: Context, params: types.CallToolRequestParams, seen: _Seen, took: float
    ) -> None:
        request_id, address = _origin(ctx)
        self._record(
            ToolCalled(
                tool=tool.name,
                outcome=seen.outcome,
                code=seen.code,
                seconds=took,
                subject=caller.subject,
                client_id=caller.client_id,
                protocol_version=ctx.protocol_version,
                arguments_digest=digest(params.arguments),
                arguments_summary=summary_of(params.arguments),
                request_id=request_id,
                address=address,
            )
        )


def _patience(ctx: Context) -> Deadline:
    """How long the client says that it waits; what a tool may take comes on top, and the sooner one counts."""
    prefer = ",".join(ctx.request.headers.getlist("prefer")) if ctx.request is not None else ""
    seconds = stated(ctx.meta, prefer)
    return NEVER if seconds is None else Deadline.after(seconds)


def _word_of(error: GatewayError, patience: Deadline) -> str:
    """What logs and metrics call it: operators tell who stopped waiting from what is too slow; the client knows."""
    ends = isinstance(error, Timeout) and patience.left() <= 2 * KEPT_BACK  # timers of the loop may be a little early
    return CLIENT_DEADLINE if ends else error.name


def _until(deadline: Deadline) -> asyncio.Timeout:
    return asyncio.timeout(None if deadline is NEVER else deadline.left())


def caller_of(ctx: Context) -> Caller:
    """Over HTTP the edge has put the caller beside the request; on stdio it was set once for the process."""
    if ctx.request is not None:
        caller: Caller = ctx.request.scope["caller"]
        return caller
    return current_caller.get()


def _origin(ctx: Context) -> tuple[str | None, str | None]:
    """Id and address of the HTTP request: a call runs in another context than its request."""
    if ctx.request is None:
        return None, None
    scope = ctx.request.scope
    client = scope.get("client")
    return scope.get("request_id"), client[0] if client else None


def _challenge(error: GatewayError, ctx: Context) -> str | None:
    """The challenge that belongs into the result, where the edge has said that this client reads it there."""
    write: Callable[[GatewayError], str | None] | None = ctx.request.scope.get("challenge") if ctx.request else None
    return write(error) if write is not None else None


def _dependencies(tool: Tool, ctx: Context) -> dict[str, Any]:
    return {name: _dependency(wanted, ctx) for name, wanted in tool.signature.provided.items()}


def _dependency(wanted: Any, ctx: Context) -> Any:
    if wanted is Progress:
        return ctx.session.report_progress
    if getattr(wanted, "__origin__", wanted) is ServerRequestContext:
        return ctx
    return ctx.lifespan_context.get(wanted)


def _on_the_wire(error: GatewayError, ctx: Context) -> MCPError:
    """The JSON-RPC error of the client's era; over HTTP the transport is told the status as well."""
    if ctx.request is not None:
        ctx.request.scope["refusal"] = error
    elif isinstance(error, AuthenticationRequired):
        error.message += f": {error.on_stdio}"
    return MCPError(error.code_for(ctx.protocol_version), error.message, error.data)
