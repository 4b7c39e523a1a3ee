"""`internal-api`: the embedded API alone, on a loopback port of its own, for the stdio server that started it."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import click
import orjson
import uvicorn
from starlette.applications import Starlette

from app.authentication import EmbeddedPrincipals
from app.commands.work import read_settings
from app.database import open_engine
from app.embedded import open_embedded
from app.migrations import upgrade
from app.secret_file import shared_secret
from app.settings import Settings
from mcp_server import logging
from oauth.authority import StoredKeys
from oauth.stores.sql import SqlStore
from oauth.upkeep import Upkeep
from oauth.verifier import Verifier


@click.command(name="internal-api", hidden=True)
def internal_api() -> None:
    """Serve until standard input ends; the first line on standard output says where."""
    settings = read_settings()
    logging.configure(debug=settings.debug)
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # from here on a connection waits instead of being refused
        config = uvicorn.Config(internal_app(settings), log_config=None, access_log=False, server_header=False)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        _announce(listener.getsockname()[1])
        await asyncio.to_thread(sys.stdin.buffer.read)  # the parent's end of the pipe closes however it ends
        server.should_exit = True
        await serving


def _announce(port: int) -> None:
    line = orjson.dumps({"url": f"http://127.0.0.1:{port}"})
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def internal_app(settings: Settings) -> Starlette:
    """The embedded API and nothing else."""
    engine = open_engine(settings.database)
    stored_keys = StoredKeys(SqlStore(engine))
    verifier = Verifier(stored_keys, ttl=settings.lifetimes.token)
    principals = EmbeddedPrincipals(verifier, shared_secret(settings.data_dir))
    embedded = open_embedded(engine, principals, settings.fetch_allow_hosts)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(engine.dispose)
            await upgrade(engine)
            await stack.enter_async_context(Upkeep(verifier, stored_keys).running())
            await stack.enter_async_context(embedded.running())
            yield

    return Starlette(routes=embedded.routes, lifespan=lifespan)
