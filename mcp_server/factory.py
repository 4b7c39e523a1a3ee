"""One server, whatever the transport: every tool of every toolset, registered once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import get_args

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from mcp_server.errors import MODERN_ERA_BEGINS
from mcp_server.limits.rules import Limits
from mcp_server.message_spans import MessageSpans
from mcp_server.observability.events import Begin, Record
from mcp_server.observability.telemetry import no_op
from mcp_server.pipeline import Pipeline
from mcp_server.registration import register
from mcp_server.runtime import Runtime
from mcp_server.toolset import Context, Tool, Toolset

NAME = "minds"
TITLE = "Minds"
PROTOCOL_ERRORS = {
    types.INVALID_REQUEST: "INVALID_REQUEST",
    types.METHOD_NOT_FOUND: "METHOD_NOT_FOUND",
    types.INVALID_PARAMS: "INVALID_PARAMS",
    types.INTERNAL_ERROR: "INTERNAL_ERROR",
}
"""The seed's names for the codes of JSON-RPC itself."""

UNINITIALIZED = (
    f'This connection is not initialized. Send "initialize" first; or, as a client of {MODERN_ERA_BEGINS}, '
    f"name that revision in the params' _meta of every request ({types.PROTOCOL_VERSION_META_KEY})"
)

LIST_HINT = CacheHint(ttl_ms=300_000, scope="public")
"""The lists are the same for everyone and change only with a new version of the gateway."""


def create_server(
    runtime: Runtime,
    toolsets: Sequence[Toolset],
    *,
    record: Record = no_op,
    begin: Begin = no_op,
    limits: Limits | None = None,
) -> Server[Runtime]:
    """The server of `toolsets`. The SDK opens `runtime` when serving starts, and closes it.

    `limits` are for transports without an edge that charges calls.

    Raises:
        ValueError: two tools have the same name.

    """
    offered = [tool for toolset in toolsets for tool in toolset.tools]
    tools = {tool.name: tool for tool in offered}
    if twice := [name for name, number in Counter(tool.name for tool in offered).items() if number > 1]:
        raise ValueError(f"two tools are named {twice[0]}")
    listed = types.ListToolsResult(tools=[tool.definition for tool in tools.values()])
    pipeline = Pipeline(tools, record=record, begin=begin, limits=limits)

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    server: Server[Runtime] = Server(
        NAME,
        title=TITLE,
        version=version("minds-gateway"),
        instructions=" ".join(toolset.instructions for toolset in toolsets if toolset.instructions),
        cache_hints={method: LIST_HINT for method in get_args(CacheableMethod) if method != "resources/read"},
        lifespan=lambda _server: runtime,
        get_tool_input_schema=lambda name: tools[name].definition.input_schema if name in tools else None,
        on_list_tools=list_tools,
        on_call_tool=pipeline.call,
    )
    server.middleware[:] = [MessageSpans(tools, runtime.tracer), _Wire(tools)]
    register(server, toolsets, pipeline)
    for toolset in toolsets:
        if toolset.extend is not None:
            toolset.extend(server)
    return server


class _Wire:
    """A middleware for what the protocol library leaves out of messages."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The protocol's own errors get their name in `data.code`, as the gateway's refusals have it; and each tool its
        `securitySchemes`, which OpenAI reads as a member of the tool.
        """
        try:
            result = await call_next(ctx)
        except ValidationError:
            raise MCPError(
                types.INVALID_PARAMS, "The params are not what this method takes", {"code": "INVALID_PARAMS"}
            ) from None
        except MCPError as error:
            name, data = PROTOCOL_ERRORS.get(error.error.code), error.error.data
            if name is None or isinstance(data, dict):
                raise
            # The SDK's answer to a request before the handshake is the only fault in here without any data.
            is_too_early = (error.error.code, data) == (types.INVALID_PARAMS, "") and ctx.session.client_params is None
            message = UNINITIALIZED if is_too_early else error.error.message
            raise MCPError(error.error.code, message, {"code": name}) from None
        if ctx.method != "tools/list" or not isinstance(result, dict):
            return result
        schemed = [{**tool, "securitySchemes": self._tools[tool["name"]].security_schemes} for tool in result["tools"]]
        return {**result, "tools": schemed}
