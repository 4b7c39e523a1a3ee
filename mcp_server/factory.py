"""One server, whatever the transport: every tool of every toolset, registered once."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from mcp_server.errors import MODERN_ERA_BEGINS
from mcp_server.limits.limits import Limits
from mcp_server.message_spans import MessageSpans
from mcp_server.observability.events import Begin, Record, unbegun, unrecorded
from mcp_server.pipeline import Pipeline
from mcp_server.runtime import Runtime
from mcp_server.toolset import Context, Tool, Toolset

NAME = "minds"
TITLE = "Minds"
INSTRUCTIONS = (
    "Create AI personas from documents, links or keywords, watch them train, talk to them, and survey them in panels. "
    "Start with list_my_ai_personas or list_panels to see what exists. After create_ai_persona_or_digital_twin, poll "
    "check_ai_persona_training_progress until the persona is ready, then use talk_to_ai_persona. For a survey, put "
    "personas into groups with create_panel, ask one neutral question at a time with ask_panel, read get_panel_results "
    "when answers are still coming, and hand out the file of export_panel. "
    "Personas are synthetic: treat what they say as direction, not as evidence about real people."
)

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
    record: Record = unrecorded,
    begin: Begin = unbegun,
    limits: Limits | None = None,
) -> Server[Runtime]:
    """The server of `toolsets`. The SDK opens `runtime` when serving starts, and closes it.

    `limits` are for transports without an edge that charges calls.

    Raises:
        ValueError: two tools have the same name.

    """
    tools = _by_name(toolsets)
    listed = types.ListToolsResult(tools=[tool.definition for tool in tools.values()])
    pipeline = Pipeline(tools, record=record, begin=begin, limits=limits)

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    server: Server[Runtime] = Server(
        NAME,
        title=TITLE,
        version=version("minds-gateway"),
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": LIST_HINT, "server/discover": LIST_HINT},
        lifespan=lambda _server: runtime,
        get_tool_input_schema=lambda name: tools[name].definition.input_schema if name in tools else None,
        on_list_tools=list_tools,
        on_call_tool=pipeline.call,
    )
    server.middleware[:] = [MessageSpans(tools, runtime.tracer), _with_names, _with_security_schemes(tools)]
    for toolset in toolsets:
        if toolset.extend is not None:
            toolset.extend(server)
    return server


def _by_name(toolsets: Sequence[Toolset]) -> dict[str, Tool]:
    tools: dict[str, Tool] = {}
    for toolset in toolsets:
        for tool in toolset.tools:
            if tool.name in tools:
                message = f"two tools are named {tool.name}"
                raise ValueError(message)
            tools[tool.name] = tool
    return tools


async def _with_names(ctx: Context, call_next: CallNext) -> HandlerResult:
    """The protocol's own errors get their name in `data.code`, as the gateway's refusals have it."""
    try:
        return await call_next(ctx)
    except ValidationError:
        raise MCPError(
            types.INVALID_PARAMS, "The params are not what this method takes", _named("INVALID_PARAMS")
        ) from None
    except MCPError as error:
        name, told = PROTOCOL_ERRORS.get(error.error.code), error.error.data
        if name is None or isinstance(told, dict):
            raise
        message = UNINITIALIZED if _is_too_early(ctx, error) else error.error.message
        raise MCPError(error.error.code, message, _named(name)) from None


def _is_too_early(ctx: Context, error: MCPError) -> bool:
    """Whether it is the SDK's answer to a request before the handshake: the only fault in here without any data."""
    is_bare = (error.error.code, error.error.data) == (types.INVALID_PARAMS, "")
    return is_bare and ctx.session.client_params is None


def _named(name: str) -> dict[str, str]:
    return {"code": name}


def _with_security_schemes(tools: dict[str, Tool]) -> Any:
    """OpenAI reads `securitySchemes` as a member of the tool, which the SDK's model drops on the way out."""

    async def middleware(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(replace(ctx))
        if ctx.method != "tools/list" or not isinstance(result, dict):
            return result
        schemed = [{**tool, "securitySchemes": tools[tool["name"]].security_schemes} for tool in result["tools"]]
        return {**result, "tools": schemed}

    return middleware
