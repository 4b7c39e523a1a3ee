"""An internal API that tests let die: `python -m tests.journeys.dying --port N`.

It counts what it is asked below `/api/v1/minds`: how often, and how many at once at most; `GET /seen` tells both.
"""

import argparse

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

TAKES = 0.05
"""Seconds for a listing, so that calls overlap that are made at once."""


class Seen:
    """What was asked of this process."""

    def __init__(self) -> None:
        self.asked = self.now = self.most = 0

    async def listing(self, _request: Request) -> JSONResponse:
        self.asked, self.now = self.asked + 1, self.now + 1
        self.most = max(self.most, self.now)
        with anyio.move_on_after(TAKES):
            await anyio.sleep_forever()
        self.now -= 1
        return JSONResponse({"data": [], "pagination": {"total": 0, "limit": 100, "offset": 0}})

    async def tell(self, _request: Request) -> JSONResponse:
        return JSONResponse({"asked": self.asked, "most": self.most})


async def account(_request: Request) -> JSONResponse:
    return JSONResponse({"id": "00000000-0000-4000-8000-0000000000ff"})


async def description(_request: Request) -> JSONResponse:
    return JSONResponse({"paths": {"/api/v1/minds": {}}})


async def missing(_request: Request) -> JSONResponse:
    return JSONResponse({"statusCode": 404, "error": True}, 404)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    seen = Seen()
    routes = [
        Route("/api/v1/minds", seen.listing),
        Route("/api/v1/minds/{mind}", missing),
        Route("/api/v1/minds/{mind}/training", missing),
        Route("/api/v1/auth/me", account),
        Route("/api/v1/openapi.json", description),
        Route("/seen", seen.tell),
    ]
    uvicorn.run(Starlette(routes=routes), port=parser.parse_args().port, log_level="warning")


if __name__ == "__main__":
    main()
