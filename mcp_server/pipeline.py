"""Around every call of a tool, a resource or a prompt, on every transport: who, which, how long, what came of it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp_server.caller import Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError, InvalidArguments, Timeout, ToolFailure
from mcp_server.limits.decisions import Decision
from mcp_server.limits.rules import Limits, RateLimitKey
from mcp_server.narrowing import unknown
from mcp_server.observability.events import Outcome, Record, ToolCalled, digest, summary_of
from mcp_server.observability.telemetry import no_op
from mcp_server.observability.tracing import current_request
from mcp_server.primitives import Primitive, require
from mcp_server.request_context import RequestContext, current_context
from mcp_server.results import Result, challenged, failed, rendered, with_limits
from mcp_server.toolkit.sampling import InputRequired, Sampling
from mcp_server.toolset import Context, Progress, Tool
from mcp_server.upstream.addresses import AddressRefused
from mcp_server.upstream.deadline import KEPT_BACK, NEVER, current_deadline, stated, time_left
from mcp_server.upstream.failure_mapping import refusal_of

CLIENT_DEADLINE = "CLIENT_DEADLINE"
"""The word for a call that ended because the time was up for which its client had said that it waits."""

T = TypeVar("T")
Begin = Callable[[Primitive, Caller, RequestContext | None], None]
"""Called when a call begins; on stdio there is no request."""

log = structlog.get_logger(__name__)


class InternalFailure(ToolFailure):
    """A bug, where the tool's document has it as a failure."""

    code = "internal"


class InternalError(GatewayError):
    """A bug. The log has the trace, under the request's id; the answer shows that id and nothing else of it."""

    def __init__(self) -> None:
        request_id = current_request.get()
        super().__init__(**({"requestId": request_id} if request_id is not None else {}))


@dataclass(slots=True)
class _Call:
    """One call, and what becomes of it. `client_deadline` is when the client says that it stops waiting."""

    primitive: Primitive
    arguments: Mapping[str, Any] | None
    caller: Caller
    request: RequestContext | None  # None on stdio
    client_deadline: float
    outcome: Outcome = "cancelled"
    code: str | None = None
    charge: Decision | None = None


class Pipeline:
    """Runs tools, and what else is called as they are. One per server."""

    def __init__(
        self, tools: Mapping[str, Tool], *, record: Record, begin: Begin = no_op, limits: Limits | None = None
    ) -> None:
        self._tools, self._record, self._begin, self._limits = tools, record, begin, limits

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """The SDK's `tools/call` handler. Raises MCPError: a refusal, with the code of the client's era."""
        tool = self._tools.get(params.name)
        if tool is None:
            raise unknown("tool", params.name, ctx.protocol_version)
        render = partial(rendered, live=ctx.lifespan_context.live)
        result: Result = await self.run(
            tool, ctx, params.arguments, render=render, on_failure=partial(failed, codes=tool.error_codes)
        )
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

        Raises `MCPError`: a refusal, with the code of the client's era.
        """
        started, request, caller = time.perf_counter(), current_context.get(None), current_caller.get()
        # How long the client says that it waits; what a tool may take comes on top, and the sooner one counts.
        prefer = ",".join(request.headers.getlist("prefer")) if request is not None else ""
        seconds = stated(ctx.meta, prefer) if prefer or ctx.meta else None
        deadline = NEVER if seconds is None else time.monotonic() + seconds
        call = _Call(primitive, arguments, caller, request, deadline)
        self._begin(primitive, caller, request)
        token = current_deadline.set(deadline)
        try:
            try:
                result = render(await self._run(call, ctx))
                call.outcome = "success"
            except (ToolFailure, AddressRefused) as error:
                failure = error if isinstance(error, ToolFailure) else InvalidArguments(str(error))
                call.outcome, call.code = "failure", failure.code
                result = on_failure(failure)
            except InputRequired as wanted:
                result, call.outcome = wanted.result, "success"
            return with_limits(result, call.charge)
        except Exception as error:  # noqa: BLE001  what is not foreseen is logged as a bug, and becomes an error
            return self._refused(error, call, ctx)
        finally:
            current_deadline.reset(token)
            self._record_end(call, ctx.protocol_version, time.perf_counter() - started)

    async def _run(self, call: _Call, ctx: Context) -> Any:
        """Charge, authorise, validate, and run within the deadline."""
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
            elif wanted is Sampling:
                bound[name] = Sampling(ctx, runtime.settings.llm_sampling)
            else:
                bound[name] = ctx if wants_context(wanted) else runtime.services[wanted]
        if runtime.ready is not None:
            async with asyncio.timeout(None if call.client_deadline is NEVER else time_left()):
                await runtime.ready()
        now = time.monotonic()
        seconds = min(primitive.timeout, call.client_deadline - now)
        current_deadline.set(now + seconds)
        async with asyncio.timeout(seconds):
            return await primitive.run(**bound)

    def _refused(self, error: Exception, call: _Call, ctx: Context) -> Result:
        """What becomes of a call that raised `error`: a challenge as a result, where the client reads it there.

        Raises `MCPError`: a refusal or a bug, with the code of the client's era.
        """
        if call.outcome == "cancelled":
            call.outcome = "refused"
        if isinstance(error, MCPError):
            call.outcome = "failure"
            raise error
        if (refusal := refusal_of(error)) is None:
            call.outcome = "error"
            log.error("tool_crashed", tool=call.primitive.name, exc_info=error)
            refusal = InternalError()
            if isinstance(call.primitive, Tool) and InternalFailure.code in call.primitive.error_codes:
                call.code = refusal.name
                return failed(InternalFailure(refusal.message, requestId=refusal.data.get("requestId")))
        # Operators tell who stopped waiting from what is too slow. Timers of the loop may be a little early.
        is_clients = isinstance(refusal, Timeout) and call.client_deadline - time.monotonic() <= 2 * KEPT_BACK
        call.code = CLIENT_DEADLINE if is_clients else refusal.name
        if call.request is not None:
            write = call.request.challenge if isinstance(call.primitive, Tool) else None
            if write is not None and (challenge := write(refusal)) is not None:
                return challenged(refusal, challenge)
            call.request.refusal = refusal  # the transport learns the status
        elif isinstance(refusal, AuthenticationRequired):
            refusal.message += f": {refusal.on_stdio}"
        raise MCPError(
            refusal.code_for(ctx.protocol_version), refusal.message, refusal.sentence or refusal.data
        ) from None

    def _record_end(self, call: _Call, version: str, seconds: float) -> None:
        request = call.request
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


def wants_context(wanted: Any) -> bool:
    """Whether a parameter that the runtime fills in is the protocol library's context."""
    return getattr(wanted, "__origin__", wanted) is ServerRequestContext
