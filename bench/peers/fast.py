"""FastMCP as its documentation builds this gateway: a bearer token verified as a JWT, and its rate limiter."""

from typing import Any

import httpx2
from fastmcp import FastMCP
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.middleware.rate_limiting import RateLimitingMiddleware
from starlette.types import ASGIApp

from bench.peers.serve import client, livez, place, serve
from bench.wire import JWT_SECRET, TOOL

NO_LIMIT = 1e9
"""Calls a second: the limiter runs and never refuses."""


def application(upstream: str, api: httpx2.AsyncClient) -> ASGIApp:
    verifier = JWTVerifier(public_key=JWT_SECRET, issuer="bench", audience="bench", algorithm="HS256")
    limiter = RateLimitingMiddleware(max_requests_per_second=NO_LIMIT, burst_capacity=int(NO_LIMIT))
    server = FastMCP("bench", auth=verifier, middleware=[limiter])
    server.custom_route("/livez", methods=["GET"])(livez)

    @server.tool(name=TOOL)
    async def list_personas() -> dict[str, Any]:
        """Lists personas."""
        personas: dict[str, Any] = (await api.get(upstream)).json()
        return personas

    return server.http_app(stateless_http=True, json_response=True)


if __name__ == "__main__":
    here = place()
    serve(application(here.upstream, client()), here.port)
