"""`serve`: the HTTP process."""

import os
import sys
from typing import Any

import click
import uvicorn

from app.commands.work import Mistake, read_settings, run
from app.settings import Settings
from app.start_checks import start_problems
from app.wire import StrictHttp
from mcp_server import logging

DRAIN_SECONDS = 10
"""How long a stopping server lets running requests finish."""


@click.command()
@click.option("--host", help="Address to listen on; HOST otherwise.")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on; PORT otherwise.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
def serve(host: str | None, port: int | None, workers: int) -> None:
    """Serve the gateway over HTTP until interrupted."""
    # Through the environment, because each worker is a fresh process that reads its settings itself.
    os.environ.update({name: str(value) for name, value in (("HOST", host), ("PORT", port)) if value is not None})
    settings = read_settings()
    if problems := start_problems(settings, workers):
        raise Mistake("; ".join(problems))
    logging.configure(debug=settings.debug)
    accounts = run(lambda store: store.list_users())
    click.echo(welcome(settings, is_new=not accounts), err=True)
    uvicorn.run(
        "app.factory:from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=workers if workers > 1 else None,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        **http_options(settings),
    )


def http_options(settings: Settings) -> dict[str, Any]:
    """How uvicorn speaks HTTP, in every process of the gateway."""
    return {
        "log_config": None,
        "access_log": False,  # it prints queries, and one line a request is logged already
        "server_header": False,
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": ",".join(settings.trusted_proxies) or "",
        "http": StrictHttp,
        "ws": "none",
        "reset_contextvars": True,  # the caller of one request must not be found by the next on the connection
    }


def welcome(settings: Settings, *, is_new: bool) -> str:
    """What a person who started the server wants to know next."""
    python = sys.executable
    account = (
        f"No account yet. Make one to sign in with, and a key for a client that knows no OAuth:\n"
        f"  {python} -m app users create --email you@example.com\n"
        f"  {python} -m app keys create --user you@example.com --name laptop\n"
    )
    makes_accounts = settings.signs_in_itself and settings.is_embedded
    return (
        f"Serving MCP at {settings.resource}  (health: GET the same address)\n"
        + (account if is_new and makes_accounts else "")
        + f"Connect a client:   {settings.site_url}/connect\n"
        + f"Your account:       {settings.site_url}/account\n"
        + f"Connect over HTTP:  sign in, or Authorization: Bearer minds_…\n"
        f"Connect over stdio: MINDSAI_API_KEY=minds_… {python} -m mcp_server.stdio\n"
        f"README.md has the configuration of Claude Desktop, Cursor and VS Code. Ctrl-C stops."
    )
