"""How every peer is served: as the gateway is, one worker, uvloop and httptools, no access log."""

import argparse
from dataclasses import dataclass

import httpx2
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

HEADERS = {"accept": "application/json", "authorization": "Bearer bench"}
CONNECTIONS, SECONDS = 200, 30
"""The pool and the patience of each client."""


@dataclass(frozen=True)
class Place:
    """Where a peer listens, where its upstream is, and with which client that is asked, where there is a choice."""

    port: int
    upstream: str
    client: str


def place() -> Place:
    """Read from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--client", default="httpx2")
    told = parser.parse_args()
    return Place(told.port, f"{told.upstream}/api/v1/minds", told.client)


def client() -> httpx2.AsyncClient:
    transport = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=CONNECTIONS), trust_env=False)
    return httpx2.AsyncClient(transport=transport, headers=HEADERS, timeout=SECONDS)


async def livez(_request: Request) -> JSONResponse:
    return JSONResponse({})


def serve(app: ASGIApp, port: int) -> None:
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
