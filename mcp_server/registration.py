"""Resources, prompts and completions on the protocol server: only what is there is offered."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from mcp_server.errors import ResourceNotFound, ToolFailure
from mcp_server.pipeline import Pipeline
from mcp_server.primitives import Primitive, Prompt, Resource
from mcp_server.runtime import Runtime
from mcp_server.toolset import Context, Toolset

MOST_COMPLETIONS = 100
"""Values in one answer (specification, completion)."""

COMPLETION_SECONDS = 5.0


def register(server: Server[Runtime], toolsets: Sequence[Toolset], pipeline: Pipeline) -> None:
    """Serve the resources, resource templates and prompts of `toolsets`, and completions of their arguments."""
    resources = [resource for toolset in toolsets for resource in toolset.resources]
    prompts = {prompt.name: prompt for toolset in toolsets for prompt in toolset.prompts}
    if resources:
        _register_resources(server, resources, pipeline)
    if prompts:
        _register_prompts(server, prompts, pipeline)
    offered: list[Resource | Prompt] = [*resources, *prompts.values()]
    if any(each.completions for each in offered):
        _register_completions(server, resources, prompts, pipeline)


def _register_resources(server: Server[Runtime], resources: Sequence[Resource], pipeline: Pipeline) -> None:
    fixed: Any = [resource.definition for resource in resources if not resource.is_template]
    templates: Any = [resource.definition for resource in resources if resource.is_template]
    listed = types.ListResourcesResult(resources=fixed)
    listed_templates = types.ListResourceTemplatesResult(resource_templates=templates)

    async def read(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        for resource in resources:
            if (variables := resource.match(uri)) is not None:
                render = partial(resource.rendered, uri)
                return await pipeline.run(resource, ctx, variables, render=render, on_failure=_refused)
        error = ResourceNotFound(uri=uri[:2_048])
        raise MCPError(error.code_for(ctx.protocol_version), error.message, error.data)

    server.add_request_handler("resources/list", types.PaginatedRequestParams, _listing(listed))
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _listing(listed_templates))
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)


def _register_prompts(server: Server[Runtime], prompts: dict[str, Prompt], pipeline: Pipeline) -> None:
    listed = types.ListPromptsResult(prompts=[prompt.definition for prompt in prompts.values()])

    async def get(ctx: Context, params: types.GetPromptRequestParams) -> Any:
        prompt = prompts.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:128]}")
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
