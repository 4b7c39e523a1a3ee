"""`serve`: the HTTP process."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from uvicorn.config import STARTUP_FAILURE

from app.commands.check import findings_of
from app.commands.work import Mistake, find_language_model, read_settings, run
from app.internal_api.settings import InternalApiSettings
from app.metrics.shared_folder import VARIABLE, fresh_folder
from app.process.connection_limit import ConnectionRegistry, descriptors, room
from app.process.http_protocol import StrictHttp
from app.process.server import Config, Server
from app.process.shutdown import LINGER_SECONDS
from app.process.workers import Supervisor, end
from app.settings import Settings
from mcp_server.observability import logging

APPLICATION = "app.factory:from_environment"

HEALTHCHECK_SECONDS = 10  # for a worker to answer its supervisor; one that does not is replaced

WRITING_SECONDS = 30.0
"""For a worker that ends to write what waits in memory and to close its connections; each of these steps has less."""


@click.command()
@click.option("--host", help="Address to listen on; HOST otherwise.")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on; PORT otherwise.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
def serve(host: str | None, port: int | None, workers: int) -> None:
    """Serve the gateway over HTTP until interrupted."""
    # Through the environment, because each worker is a fresh process that reads its settings itself.
    os.environ.update({name: str(value) for name, value in (("HOST", host), ("PORT", port)) if value is not None})
    os.environ["RATE_LIMIT_WORKERS"] = str(max(workers, read_settings().rate_limit_workers))
    settings = read_settings()
    findings = findings_of(settings, workers)
    if stops := [str(finding) for finding in findings if finding.stops]:
        raise Mistake("; ".join(stops))
    for finding in findings:
        click.echo(f"Warning: {finding}", err=True)
    logging.configure(debug=settings.debug, level=settings.log_level, form=settings.log_format)
    has_store = all(finding.setting != "DATABASE_URL" for finding in findings)
    model = find_language_model(settings)
    is_new = has_store and not run(lambda stores: stores.accounts.list_users())
    click.echo(welcome(settings, is_new=is_new, model=model), err=True)
    signal.signal(signal.SIGTERM, end)
    with counting_together(settings, workers) as folder:
        _listen(settings, workers, folder)


def _listen(settings: Settings, workers: int, folder: Path | None) -> None:
    options: dict[str, Any] = {
        "factory": True,
        "host": settings.host,
        "port": settings.port,
        "timeout_graceful_shutdown": settings.shutdown_seconds,
        **http_options(settings),
    }
    if workers == 1:
        server = Server(Config(APPLICATION, **options))
        with suppress(KeyboardInterrupt):
            server.run()
        if not server.started:
            sys.exit(STARTUP_FAILURE)
        return
    config = Config(APPLICATION, workers=workers, timeout_worker_healthcheck=HEALTHCHECK_SECONDS, **options)
    supervisor = Supervisor(
        config,
        [config.bind_socket()],
        settings.shutdown_notice_seconds,
        end_seconds=end_seconds(settings, config),
        metrics_folder=folder,
    )
    supervisor.run()
    if supervisor.failed:
        raise click.ClickException("A worker could not start; its reason is in the log above.")


def end_seconds(settings: Settings, config: Config) -> float:
    """What the steps of a worker's end may take together. One that takes longer hangs."""
    panels = InternalApiSettings().panel_drain_seconds if settings.is_embedded else 0
    calls = min(config.timeout_keep_alive, LINGER_SECONDS) + settings.shutdown_seconds
    return settings.shutdown_notice_seconds + calls + panels + WRITING_SECONDS


@contextmanager
def counting_together(settings: Settings, workers: int) -> Iterator[Path | None]:
    """Several workers count in one folder, of which the environment tells them; one alone needs none, and is faster."""
    os.environ.pop(VARIABLE, None)
    if workers == 1 or not settings.metrics_enabled:
        yield None
        return
    with fresh_folder(settings.prometheus_multiproc_dir) as folder:
        os.environ[VARIABLE] = str(folder.absolute())
        yield folder


def http_options(settings: Settings) -> dict[str, Any]:
    """How uvicorn speaks HTTP, in every process of the gateway."""
    return {
        "log_config": None,
        "timeout_keep_alive": settings.keep_alive_seconds,
        "access_log": False,  # it prints queries, and one line a request is logged already
        "server_header": False,
        "proxy_headers": False,  # whose word counts is decided in `app.http.request_context`
        "http": partial(
            StrictHttp,
            connections=ConnectionRegistry(room(settings.max_connections, descriptors())),
            body_seconds=settings.body_seconds,
            https=settings.is_production,
            lingers=settings.shutdown_notice_seconds > 0,  # a proxy was promised that nothing is cut off
        ),
        "ws": "none",
        "reset_contextvars": True,  # the caller of one request must not be found by the next on the connection
    }


def welcome(settings: Settings, *, is_new: bool, model: str = "") -> str:
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
        + (f"Language model:     {model}\n" if model else "")
        + f"Connect a client:   {settings.site_url}/connect\n"
        + f"Your account:       {settings.site_url}/account\n"
        + f"Connect over HTTP:  sign in, or Authorization: Bearer minds_…\n"
        f"Connect over stdio: MINDSAI_API_KEY=minds_… {python} -m mcp_server.stdio\n"
        f"docs/connect.md has the configuration of each client. Ctrl-C stops."
    )
