"""`internal-api`: the embedded API alone, on a loopback port of its own, for the stdio server that started it."""

import asyncio
import contextlib
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import click
import orjson
import structlog
import uvicorn
from starlette.applications import Starlette

from app.authentication import EmbeddedPrincipals, GatewayAuthenticator
from app.commands.work import find_language_model, read_settings
from app.embedded import open_embedded
from app.internal_api.http.api import mounted
from app.settings import Settings
from app.storage.engine import open_engine
from app.storage.migrate import upgrade
from mcp_server.observability import logging
from mcp_server.observability.gc_tuning import freeze
from mcp_server.toolkit.secret_file import shared_secret
from oauth.credentials import StoredKeys
from oauth.maintenance import Maintenance
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier

DRAIN_SECONDS = 3
"""For running requests, when the parent is gone and nobody waits for their answers."""


@click.command(name="internal-api", hidden=True)
def internal_api() -> None:
    """Serve until standard input ends; the first line on standard output says where, and the installation's secret."""
    settings = read_settings()
    logging.configure(debug=settings.debug, form=settings.log_format)
    if model := find_language_model(settings):
        structlog.get_logger().info("language_model.discovered", found=model)
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    secret = shared_secret(settings.data_dir)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # from here on a connection waits instead of being refused
        config = uvicorn.Config(
            internal_app(settings),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
        server = uvicorn.Server(config)
        freeze()
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        # For the parent, and nobody else: standard output is a pipe to it.
        announced = {"url": f"http://127.0.0.1:{listener.getsockname()[1]}", "secret": secret.get_secret_value()}
        sys.stdout.buffer.write(orjson.dumps(announced) + b"\n")
        sys.stdout.buffer.flush()
        ended = asyncio.create_task(_end_of_input().wait())
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        server.should_exit = True
        await serving


def _end_of_input() -> asyncio.Event:
    """Set when the parent's end of the pipe is closed, which happens however the parent ends.

    A thread of our own reads: one of the loop's would be waited for at the end, also when serving ended first.
    """
    ended, loop = asyncio.Event(), asyncio.get_running_loop()

    def read() -> None:
        while os.read(sys.stdin.fileno(), 4_096):
            pass
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    return ended


def internal_app(settings: Settings) -> Starlette:
    engine = open_engine(settings.database)
    accounts = AccountStore(engine)
    stored_keys = StoredKeys(accounts)
    verifier = Verifier(stored_keys, accounts.revisions, ttl=settings.cache_token)
    secret = shared_secret(settings.data_dir)
    principals = EmbeddedPrincipals(secret, GatewayAuthenticator(verifier, settings.api_resource))
    embedded = open_embedded(engine, principals, settings.fetch_allow_hosts, secret)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(engine.dispose)
            await upgrade(engine)
            await stack.enter_async_context(Maintenance(stored_keys.note_uses).running())
            await stack.enter_async_context(embedded.web)
            await stack.enter_async_context(embedded.lifespan())
            yield

    return Starlette(routes=[mounted(embedded.app)], lifespan=lifespan)
