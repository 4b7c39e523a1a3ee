"""Around every `tools/call`, on every transport: who, which, how long, what came of it."""

import asyncio
import base64
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp_server.answers import Enclosure
from mcp_server.authorization import require
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError, Timeout, ToolFailure
from mcp_server.events import Outcome, Record, ToolCalled, digest
from mcp_server.toolset import Context, Progress, Tool

Result = types.CallToolResult | types.InputRequiredResult

CHALLENGES = "mcp/www_authenticate"
"""The member of a result's `_meta` in which ChatGPT reads the challenges of RFC 6750."""

log = structlog.get_logger(__name__)


class InternalError(GatewayError):
    """A bug. The log has the trace; the answer shows nothing of it."""


@dataclass(slots=True)
class _Seen:
    """What is told at the end of a call."""

    outcome: Outcome = "cancelled"
    code: str | None = None


class Pipeline:
    """Runs tools. One per server."""

    def __init__(
        self, tools: Mapping[str, Tool], *, record: Record, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._tools, self._record, self._clock = tools, record, clock

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        """The SDK's `tools/call` handler.

        Raises:
            MCPError: a refusal, with the code of the client's era.

        """
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:128]}")
        caller, seen, started = caller_of(ctx), _Seen(), self._clock()
        token = current_caller.set(caller)
        try:
            return await self._run(tool, caller, ctx, params.arguments, seen)
        except GatewayError as error:
            seen.code = error.name
            if (challenge := _challenge(error, ctx)) is not None:
                return challenged(error, challenge)
            raise _on_the_wire(error, ctx) from None
        finally:
            current_caller.reset(token)
            self._tell(tool, caller, ctx, params, seen, self._clock() - started)

    async def _run(
        self, tool: Tool, caller: Caller, ctx: Context, arguments: Mapping[str, Any] | None, seen: _Seen
    ) -> Result:
        try:
            require(tool, caller)
            bound = {**tool.signature.validate(arguments), **_dependencies(tool, ctx)}
            await ctx.lifespan_context.ready()
            async with asyncio.timeout(tool.timeout):
                result = await tool.run(**bound)
        except ToolFailure as failure:
            seen.outcome, seen.code = "failure", failure.code
            return failed(failure)
        except TimeoutError:
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

    def _tell(
        self, tool: Tool, caller: Caller, ctx: Context, params: types.CallToolRequestParams, seen: _Seen, took: float
    ) -> None:
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
            )
        )


def caller_of(ctx: Context) -> Caller:
    """Over HTTP the edge has put the caller beside the request; on stdio it was set once for the process."""
    if ctx.request is not None:
        caller: Caller = ctx.request.scope["caller"]
        return caller
    return current_caller.get()


def rendered(result: Any) -> Result:
    """A model as structured content and complete text; what is a result already passes through."""
    if isinstance(result, types.CallToolResult | types.InputRequiredResult):
        return result
    for_widget, enclosures = getattr(result, "for_widget", None), getattr(result, "enclosures", None)
    files = [block for enclosure in enclosures() for block in _blocks(enclosure)] if enclosures is not None else []
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.as_text()), *files],
        structured_content=result.model_dump(mode="json", by_alias=True),
        _meta=for_widget() if for_widget is not None else None,
    )


def _blocks(file: Enclosure) -> Iterator[types.ContentBlock]:
    """A link, for hosts that fetch, and the file itself where it goes along, for those that do not."""
    yield types.ResourceLink(
        type="resource_link", uri=file.uri, name=file.name, mime_type=file.media_type, size=file.size
    )
    if file.content is None:
        return
    about = {"uri": file.uri, "mime_type": file.media_type}
    if file.media_type.startswith("text/") or file.media_type == "application/json":
        text = types.TextResourceContents(**about, text=file.content.decode())
        yield types.EmbeddedResource(type="resource", resource=text)
    else:
        blob = types.BlobResourceContents(**about, blob=base64.b64encode(file.content).decode())
        yield types.EmbeddedResource(type="resource", resource=blob)


def failed(failure: ToolFailure) -> types.CallToolResult:
    """The stable word first, then the sentence; the same two as structured content."""
    error = {"code": failure.code, "message": failure.message, **failure.details}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{failure.code}: {failure.message}")],
        structured_content={"error": error},
        is_error=True,
    )


def challenged(error: GatewayError, challenge: str) -> types.CallToolResult:
    """A refusal as a result whose challenge opens the host's sign-in (OpenAI's documentation of authentication)."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{error.name.lower()}: {error.message}")],
        structured_content={"error": {"code": error.name.lower(), "message": error.message}},
        is_error=True,
        _meta={CHALLENGES: [challenge]},
    )


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
