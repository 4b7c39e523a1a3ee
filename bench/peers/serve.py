"""How every peer is served: as the gateway is, one worker, uvloop and httptools, no access log."""

import argparse
from dataclasses import dataclass

import httpx2
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

HEADERS = {"accept": "application/json", "authorization": "Bearer bench"}
LIMITS = httpx2.Limits(max_connections=200, max_keepalive_connections=100)


@dataclass(frozen=True)
class Place:
    """Where a peer listens, and where its upstream is."""

    port: int
    upstream: str


def place() -> Place:
    """Read from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    told = parser.parse_args()
    return Place(told.port, f"{told.upstream}/api/v1/minds")


def client() -> httpx2.AsyncClient:
    transport = httpx2.AsyncHTTPTransport(limits=LIMITS, trust_env=False)
    return httpx2.AsyncClient(transport=transport, headers=HEADERS, timeout=30)


async def livez(_request: Request) -> JSONResponse:
    return JSONResponse({})


def serve(app: ASGIApp, port: int) -> None:
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
