"""The bare mcp SDK: its low-level server with one tool, stateless, answering in JSON. Nothing around it."""

from typing import Any

import httpx2
import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.routing import Route

from bench.peers.serve import client, livez, place, serve
from bench.wire import TOOL

Context = ServerRequestContext[Any, Any]


def application(upstream: str, api: httpx2.AsyncClient) -> Starlette:
    tool = types.Tool(name=TOOL, description="Lists personas.", input_schema={"type": "object"})

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await api.get(upstream)
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=answer.text)]
        return types.CallToolResult(content=content, structured_content=orjson.loads(answer.content))

    server: Server[Any] = Server("bench", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    return server.streamable_http_app(
        stateless_http=True, json_response=True, custom_starlette_routes=[Route("/livez", livez)]
    )


if __name__ == "__main__":
    here = place()
    serve(application(here.upstream, client()), here.port)
