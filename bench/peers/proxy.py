"""The ceiling: no protocol library, no checks. The body is read, the upstream asked, and its answer wrapped."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import cast

import aiohttp
import orjson
from pyreqwest.client import ClientBuilder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.peers.serve import CONNECTIONS, HEADERS, SECONDS, client, livez, place, serve

Get = Callable[[str], Awaitable[bytes]]


@asynccontextmanager
async def _httpx2() -> AsyncIterator[Get]:
    async with client() as api:

        async def get(url: str) -> bytes:
            return (await api.get(url)).content

        yield get


@asynccontextmanager
async def _aiohttp() -> AsyncIterator[Get]:
    pool, patience = aiohttp.TCPConnector(limit=CONNECTIONS), aiohttp.ClientTimeout(SECONDS)
    async with aiohttp.ClientSession(connector=pool, timeout=patience, headers=HEADERS) as api:

        async def get(url: str) -> bytes:
            async with api.get(url) as answer:
                return await answer.read()

        yield get


@asynccontextmanager
async def _pyreqwest() -> AsyncIterator[Get]:
    built = ClientBuilder().max_connections(CONNECTIONS).timeout(timedelta(seconds=SECONDS)).default_headers(HEADERS)
    async with built.no_proxy().build() as api:

        async def get(url: str) -> bytes:
            return bytes(await (await api.get(url).build().send()).bytes())

        yield get


CLIENTS: dict[str, Callable[[], AbstractAsyncContextManager[Get]]] = {
    "httpx2": _httpx2,
    "aiohttp": _aiohttp,
    "pyreqwest": _pyreqwest,
}


def application(upstream: str, opened: Callable[[], AbstractAsyncContextManager[Get]]) -> Starlette:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, Get]]:
        async with opened() as get:
            yield {"get": get}

    async def mcp(request: Request) -> Response:
        message = orjson.loads(await request.body())
        answer = await cast("Get", request.state.get)(upstream)
        content = [{"type": "text", "text": answer.decode()}]
        result = {"resultType": "complete", "content": content, "structuredContent": orjson.loads(answer)}
        body = orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return Response(body, media_type="application/json")

    return Starlette(routes=[Route("/mcp", mcp, methods=["POST"]), Route("/livez", livez)], lifespan=lifespan)


if __name__ == "__main__":
    here = place()
    serve(application(here.upstream, CLIENTS[here.client]), here.port)
