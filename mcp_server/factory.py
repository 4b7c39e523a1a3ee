"""One server, whatever the transport: every tool, resource and prompt of every toolset, registered once.

Only what is there is offered: a server without prompts does not say that it has them.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any, cast, get_args

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from mcp_server.caller import current_caller
from mcp_server.errors import MODERN_ERA_BEGINS, AuthenticationRequired, PermissionDenied, ResourceNotFound, ToolFailure
from mcp_server.limits.rules import Limits
from mcp_server.message_spans import MessageSpans
from mcp_server.narrowing import Narrowing, instructions_of, unknown
from mcp_server.observability.events import Record
from mcp_server.observability.telemetry import no_op
from mcp_server.pipeline import Begin, Pipeline
from mcp_server.primitives import Primitive, Prompt, Resource, require
from mcp_server.runtime import Runtime
from mcp_server.subscriptions import ChangingServer, serve_subscriptions
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

MOST_COMPLETIONS = 100  # values in one answer (specification, completion)

COMPLETION_SECONDS = 5.0


def create_server(
    runtime: Runtime,
    toolsets: Sequence[Toolset],
    *,
    record: Record = no_op,
    begin: Begin = no_op,
    limits: Limits | None = None,
    is_connection: bool = False,
) -> Server[Runtime]:
    """The server of `toolsets`. The SDK opens `runtime` when serving starts, and closes it.

    `limits` are for transports without an edge that charges calls. With `is_connection` the server has one client,
    which it may tell of things unasked.

    Raises `ValueError`: two tools have the same name.
    """
    named = [(tool.name, tool) for toolset in toolsets for tool in toolset.tools]
    if twice := [name for name, number in Counter(name for name, _ in named).items() if number > 1]:
        raise ValueError(f"two tools are named {twice[0]}")
    tools = dict(named)
    resources = [resource.at_site(runtime.site_url) for toolset in toolsets for resource in toolset.resources]
    pipeline = Pipeline(tools, record=record, begin=begin, limits=limits)
    server = ChangingServer(
        NAME,
        title=TITLE,
        version=version("minds-gateway"),
        instructions=instructions_of(toolsets),
        cache_hints=_cache_hints(resources),
        lifespan=lambda _server: runtime,
        get_tool_input_schema=lambda name: tools[name].definition.input_schema if name in tools else None,
        on_list_tools=_listing(types.ListToolsResult(tools=[tool.definition for tool in tools.values()])),
        on_call_tool=cast("Any", pipeline.call),  # it takes mappings, and does not say so
    )
    server.middleware[:] = [MessageSpans(tools, runtime.tracer), _Wire(tools), Narrowing(toolsets)]
    prompts = {prompt.name: prompt for toolset in toolsets for prompt in toolset.prompts}
    if resources:
        _register_resources(server, resources, pipeline)
    serve_subscriptions(server, runtime.changes, toolsets, is_connection=is_connection)
    if prompts:
        _register_prompts(server, prompts, pipeline)
    offered: list[Resource | Prompt] = [*resources, *prompts.values()]
    if any(each.completions for each in offered):
        _register_completions(server, resources, prompts, pipeline)
    for toolset in toolsets:
        if toolset.extend is not None:
            toolset.extend(server)
    return server


def _cache_hints(resources: Sequence[Resource]) -> dict[CacheableMethod, CacheHint]:
    """Of all lists but those whose content changes."""
    changing = {"resources/read"} | {"resources/list" for resource in resources if resource.listing is not None}
    return {method: LIST_HINT for method in get_args(CacheableMethod) if method not in changing}


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
            if name is None or data not in (None, "", ctx.method):  # what the SDK puts there
                raise
            # The SDK's answer to a request before the handshake is the only fault in here without any data.
            is_too_early = (error.error.code, data) == (types.INVALID_PARAMS, "") and ctx.session.client_params is None
            message = UNINITIALIZED if is_too_early else error.error.message
            raise MCPError(error.error.code, message, {"code": name}) from None
        if ctx.method != "tools/list" or not isinstance(result, dict):
            return result
        schemed = [{**tool, "securitySchemes": self._tools[tool["name"]].security_schemes} for tool in result["tools"]]
        return {**result, "tools": schemed}


def _register_resources(server: Server[Runtime], resources: Sequence[Resource], pipeline: Pipeline) -> None:
    fixed: Any = [resource.definition for resource in resources if not resource.is_template]
    templates: Any = [resource.definition for resource in resources if resource.is_template]
    listed_templates = types.ListResourceTemplatesResult(resource_templates=templates)

    async def read(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        for resource in resources:
            if (variables := resource.match(uri)) is not None:
                render = partial(resource.rendered, uri)
                return await pipeline.run(resource, ctx, variables, render=render, on_failure=_refused)
        alike = (one.invalid_uri for one in resources if one.uri.partition(":")[0] == uri.partition(":")[0])
        invalid = next(filter(None, alike), None)
        if invalid is None:
            raise unknown("resource", uri, ctx.protocol_version)
        error = invalid()
        raise MCPError(error.code_for(ctx.protocol_version), error.message, error.sentence or error.data)

    listed = _resource_pages(fixed, [one for one in resources if one.listing is not None], pipeline)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _listing(listed_templates))
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)


def _resource_pages(
    fixed: list[Any], templates: Sequence[Resource], pipeline: Pipeline
) -> Callable[[Context, types.PaginatedRequestParams], Awaitable[Any]]:
    """A handler of `resources/list`: those at fixed addresses, then the pages of each listing that the caller may see.

    A cursor is the number of a listing, and that listing's own cursor.
    """

    async def handler(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        number, _, inner = ((params.cursor if params else None) or "0:").partition(":")
        at = int(number) if number.isdecimal() and len(number) < 4 else -1  # noqa: PLR2004  there are a few
        if not 0 <= at <= max(0, len(templates) - 1):
            raise MCPError(types.INVALID_PARAMS, "Invalid cursor", {"code": "INVALID_PARAMS"})
        result = types.ListResourcesResult(resources=[] if inner or at else fixed)
        if at < len(templates) and (listing := templates[at].listing) is not None:
            of = replace(templates[at], run=listing)
            with suppress(AuthenticationRequired, PermissionDenied):
                require(of, current_caller.get())
                same = {"render": lambda page: page, "on_failure": _refused}
                page = await pipeline.run(of, ctx, {"cursor": inner or None}, **same)
                following = f"{at}:{page.next_cursor}" if page.next_cursor else None
                result = page.model_copy(
                    update={"resources": [*result.resources, *page.resources], "next_cursor": following}
                )
        if result.next_cursor is None and at + 1 < len(templates):
            result = result.model_copy(update={"next_cursor": f"{at + 1}:"})
        return result

    return handler


def _register_prompts(server: Server[Runtime], prompts: dict[str, Prompt], pipeline: Pipeline) -> None:
    listed = types.ListPromptsResult(prompts=[prompt.definition for prompt in prompts.values()])

    async def get(ctx: Context, params: types.GetPromptRequestParams) -> Any:
        prompt = prompts.get(params.name)
        if prompt is None:
            raise unknown("prompt", params.name, ctx.protocol_version)
        return await pipeline.run(prompt, ctx, params.arguments, render=prompt.rendered, on_failure=_refused)

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, _listing(listed))
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get)


def _register_completions(
    server: Server[Runtime], resources: Sequence[Resource], prompts: dict[str, Prompt], pipeline: Pipeline
) -> None:
    by_uri = {resource.uri: resource for resource in resources}

    async def complete(ctx: Context, params: types.CompleteRequestParams) -> Any:
        ref = params.ref
        offered = prompts.get(ref.name) if isinstance(ref, types.PromptReference) else by_uri.get(ref.uri)
        function = offered.completions.get(params.argument.name) if offered is not None else None
        if offered is None or function is None:
            return _completed(())
        primitive = Primitive(  # completed for whoever may use what is completed
            run=function, title=offered.title, scopes=offered.scopes, public=offered.public, timeout=COMPLETION_SECONDS
        )
        arguments = {"value": params.argument.value}
        return await pipeline.run(primitive, ctx, arguments, render=_completed, on_failure=_refused)

    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)


def _listing(result: types.Result) -> Callable[[Context, Any], Awaitable[Any]]:
    """A handler that always answers `result`."""

    async def handler(_ctx: Context, _params: Any) -> types.Result:
        return result

    return handler


def _completed(values: Sequence[str]) -> types.CompleteResult:
    shown, more = list(values[:MOST_COMPLETIONS]), len(values) > MOST_COMPLETIONS
    return types.CompleteResult(completion=types.Completion(values=shown, total=len(values), has_more=more))


def _refused(failure: ToolFailure) -> Any:
    """What has no place in a result of these methods is an error."""
    if failure.code == "not_found":
        raise ResourceNotFound(failure.message)
    raise MCPError(types.INVALID_PARAMS, failure.message, {"code": failure.code.upper()})
