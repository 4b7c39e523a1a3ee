"""A small application under the real supervisor, for tests: `python -m tests.supervised PORT WORKERS NOTICE`.

It says the number of the process that answers; `/slow` says so bit by bit, for a second. It cannot start while there is
a file `broken` in the folder, and waits while there is one of the name `away`, as if that were its database.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.config import STARTUP_FAILURE

from app.process.connection_limit import ConnectionRegistry
from app.process.deferred_startup import DeferredStartup
from app.process.http_protocol import StrictHttp
from app.process.shutdown import Drain
from app.process.workers import Supervisor

BITS, EVERY = 10, 0.1
BROKEN, AWAY = Path("broken"), Path("away")


async def number(_request: Request) -> Response:
    return PlainTextResponse(f"{os.getpid()}")


async def slowly(_request: Request) -> Response:
    async def bits() -> AsyncIterator[str]:
        for bit in range(BITS):
            yield f"data: {bit}\n\n"
            await asyncio.sleep(EVERY)
        yield "data: done\n\n"

    return StreamingResponse(bits(), media_type="text/event-stream")


def application() -> ASGIApp:
    """What each worker serves."""
    if BROKEN.exists():
        sys.exit(STARTUP_FAILURE)
    drain = Drain(float(os.environ["NOTICE"]))

    async def prepare() -> None:
        if AWAY.exists():  # noqa: ASYNC240  one look at a folder, for a test
            sys.stderr.write("the database was asked\n")
            raise TimeoutError("the database is away")

    app = Starlette(routes=[Route("/", number), Route("/slow", slowly)])
    return drain.around(DeferredStartup(app, prepare, again=EVERY))


def main(port: int, workers: int, notice: float) -> int:
    os.environ["NOTICE"] = str(notice)
    http = partial(StrictHttp, connections=ConnectionRegistry(), body_seconds=10, lingers=notice > 0)
    config = uvicorn.Config(
        "tests.supervised:application",
        factory=True,
        port=port,
        workers=workers,
        http=http,  # type: ignore[arg-type]  # as in `serve`
        ws="none",
        log_config=None,
        timeout_graceful_shutdown=30,
        timeout_keep_alive=1,
        timeout_worker_healthcheck=2,
    )
    supervisor = Supervisor(config, [config.bind_socket()], notice, metrics_folder=Path())
    supervisor.run()
    return int(supervisor.failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
