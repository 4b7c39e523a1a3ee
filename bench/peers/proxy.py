"""The ceiling: no protocol library, no checks. The body is read, the upstream asked, and its answer wrapped."""

import httpx2
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.peers.serve import client, livez, place, serve


def application(upstream: str, api: httpx2.AsyncClient) -> Starlette:
    async def mcp(request: Request) -> Response:
        message = orjson.loads(await request.body())
        answer = await api.get(upstream)
        content = [{"type": "text", "text": answer.text}]
        result = {"resultType": "complete", "content": content, "structuredContent": orjson.loads(answer.content)}
        body = orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return Response(body, media_type="application/json")

    return Starlette(routes=[Route("/mcp", mcp, methods=["POST"]), Route("/livez", livez)])


if __name__ == "__main__":
    here = place()
    serve(application(here.upstream, client()), here.port)
