"""Around every call of a tool, a resource or a prompt, on every transport: who, which, how long, what came of it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp_server.authorization import require
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError, Timeout, ToolFailure
from mcp_server.limits.decisions import Decision
from mcp_server.limits.limits import Limits, RateLimitKey
from mcp_server.observability.events import Begin, Outcome, Record, ToolCalled, ToolInvoked, digest, summary_of
from mcp_server.observability.telemetry import no_op
from mcp_server.observability.tracing import current_request
from mcp_server.primitives import Primitive
from mcp_server.request_context import RequestContext, current_context
from mcp_server.results import Result, challenged, failed, rendered, with_limits
from mcp_server.toolset import Context, Progress, Tool
from mcp_server.upstream.deadline import KEPT_BACK, NEVER, Deadline, current_deadline, stated
from mcp_server.upstream.failure_mapping import DeadlinePassed

CLIENT_DEADLINE = "CLIENT_DEADLINE"
"""The word for a call that ended because the time was up for which its client had said that it waits."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


class InternalError(GatewayError):
    """A bug. The log has the trace, under the request's id; the answer shows that id and nothing else of it."""

    def __init__(self) -> None:
        request_id = current_request.get()
        super().__init__(**({"requestId": request_id} if request_id is not None else {}))


@dataclass(slots=True)
class _Call:
    """One call, and what becomes of it. `patience` is how long the client says that it waits."""

    primitive: Primitive
    arguments: Mapping[str, Any] | None
    caller: Caller
    patience: Deadline
    outcome: Outcome = "cancelled"
    code: str | None = None
    charge: Decision | None = None


class Pipeline:
    """Runs tools, and what else is called as they are. One per server."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        *,
        record: Record,
        begin: Begin = no_op,
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
        result: Result = await self.run(tool, ctx, params.arguments, render=rendered, on_failure=failed)
        return result

    async def run(
        self,
        primitive: Primitive,
        ctx: Context,
        arguments: Mapping[str, Any] | None,
        *,
        render: Callable[[Any], Any],
        on_failure: Callable[[ToolFailure], Any],
    ) -> Any:
        """What `primitive` returns, rendered; of a failure that a model can mend, what `on_failure` makes of it.

        Raises:
            MCPError: a refusal, with the code of the client's era.

        """
        call, started = _Call(primitive, arguments, current_caller.get(), _patience(ctx)), self._clock()
        request = current_context.get(None)  # None on stdio
        origin = (request.id, request.address) if request is not None else (None, None)
        caller = call.caller
        self._begin(ToolInvoked(primitive.name, primitive.is_read_only, caller.subject, caller.client_id, *origin))
        token = current_deadline.set(call.patience)
        try:
            return with_limits(await self._run(call, ctx, render, on_failure), call.charge)
        except GatewayError as error:
            # Operators tell who stopped waiting from what is too slow. Timers of the loop may be a little early.
            is_clients = isinstance(error, Timeout) and call.patience.left() <= 2 * KEPT_BACK
            call.code = CLIENT_DEADLINE if is_clients else error.name
            # The edge has said whether this client reads the challenge in a tool's result.
            write = request.challenge if request is not None and isinstance(primitive, Tool) else None
            if write is not None and (challenge := write(error)) is not None:
                return challenged(error, challenge)
            raise _on_the_wire(error, ctx, request) from None
        finally:
            current_deadline.reset(token)
            self._record_end(call, request, ctx.protocol_version, self._clock() - started)

    def _record_end(self, call: _Call, request: RequestContext | None, version: str, seconds: float) -> None:
        self._record(
            ToolCalled(
                tool=call.primitive.name,
                outcome=call.outcome,
                code=call.code,
                seconds=seconds,
                subject=call.caller.subject,
                client_id=call.caller.client_id,
                protocol_version=version,
                arguments_digest=digest(call.arguments),
                arguments_summary=summary_of(call.arguments),
                request_id=request.id if request is not None else None,
                address=request.address if request is not None else None,
            )
        )

    async def _run(
        self, call: _Call, ctx: Context, render: Callable[[Any], Any], on_failure: Callable[[ToolFailure], Any]
    ) -> Any:
        try:
            result = await self._checked(call, ctx)
        except ToolFailure as failure:
            call.outcome, call.code = "failure", failure.code
            return on_failure(failure)
        except (TimeoutError, DeadlinePassed):
            call.outcome = "refused"
            raise Timeout from None
        except GatewayError:
            call.outcome = "refused"
            raise
        except MCPError:
            call.outcome = "failure"
            raise
        except Exception as error:
            call.outcome = "error"
            log.exception("tool_crashed", tool=call.primitive.name)
            raise InternalError from error
        call.outcome = "success"
        return render(result)

    async def _checked(self, call: _Call, ctx: Context) -> Any:
        """Decision, authorise, validate, and run within the deadline."""
        primitive, caller, runtime = call.primitive, call.caller, ctx.lifespan_context
        if self._limits is not None:  # on stdio; over HTTP the edge has charged the call
            call.charge = await self._limits.admit(
                RateLimitKey(caller.owner or "stdio", not caller.is_anonymous), primitive.name
            )
        require(primitive, caller)
        bound = primitive.signature.validate(call.arguments)
        for name, wanted in primitive.signature.provided.items():
            if wanted is Progress:
                bound[name] = ctx.session.report_progress
            else:
                is_context = getattr(wanted, "__origin__", wanted) is ServerRequestContext
                bound[name] = ctx if is_context else runtime.services[wanted]
        if runtime.ready is not None:
            async with asyncio.timeout(None if call.patience is NEVER else call.patience.left()):
                await runtime.ready()
        seconds = primitive.timeout if call.patience is NEVER else min(primitive.timeout, call.patience.left())
        current_deadline.set(Deadline.after(seconds))
        async with asyncio.timeout(seconds):
            return await primitive.run(**bound)


def _patience(ctx: Context) -> Deadline:
    """How long the client says that it waits; what a tool may take comes on top, and the sooner one counts."""
    prefer = ",".join(ctx.request.headers.getlist("prefer")) if ctx.request is not None else ""
    if not prefer and not ctx.meta:
        return NEVER
    seconds = stated(ctx.meta, prefer)
    return NEVER if seconds is None else Deadline.after(seconds)


def _on_the_wire(error: GatewayError, ctx: Context, request: RequestContext | None) -> MCPError:
    """The JSON-RPC error of the client's era; over HTTP the transport learns the status as well."""
    if request is not None:
        request.refusal = error
    elif isinstance(error, AuthenticationRequired):
        error.message += f": {error.on_stdio}"
    return MCPError(error.code_for(ctx.protocol_version), error.message, error.data)
