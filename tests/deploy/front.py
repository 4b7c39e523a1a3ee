"""Two gateways on one database and one Redis, behind a real proxy that ends TLS."""

import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from tests.deploy.proxies import NAME, proxy
from tests.journeys.clients import PATIENCE
from tests.journeys.host import Host, Server, in_database, new_host
from tests.journeys.sign_in_site import CLIENTS_SETTING, DocumentServer, SignInSite
from tests.loopback import certificate
from tests.processes import free_port, serving

MONTH = 30 * 24
NOTICE = 5
"""Seconds; as compose has it: longer than the Caddyfile's health_interval and health_timeout together."""
LOOK = 0.05


@dataclass
class Front(SignInSite):
    """The installation as everybody outside sees it. `hosts` are told apart by nobody."""

    hosts: tuple[Host, Host]
    port: int
    folder: Path
    trust: ssl.SSLContext

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    def connection(self) -> dict[str, Any]:
        return {"verify": self.trust}

    def requests_of(self, host: Host, path: str) -> int:
        """How many this host has logged since it was last started."""
        log = (host.folder / f"server-{host.port}.log").read_text(encoding="utf-8")
        return log.count(f'"path":"{path}"')

    def await_use_of(self, host: Host) -> None:
        """Until the proxy sends requests to this host, which was started again: only then may the other one end."""
        deadline = time.monotonic() + PATIENCE
        while not self.requests_of(host, "/mcp"):
            assert time.monotonic() < deadline, f"nothing comes to {host.origin}"
            time.sleep(LOOK)


@dataclass
class Gateways:
    """Two hosts of one installation, which run; `port` is that of the proxy that comes and goes in front of them."""

    hosts: tuple[Host, Host]
    port: int
    running: dict[int, tuple[Server, ExitStack]] = field(default_factory=dict)

    def start(self, host: Host) -> None:
        """Until it is ready."""
        stack = ExitStack()
        command = ("-m", "app", "serve")
        server = stack.enter_context(serving(command, host.port, host.folder, host.settings, ready="/readyz"))
        self.running[host.port] = (server, stack)

    def restart(self, host: Host, ended: Callable[[], object]) -> int:
        """The status with which it ended; it is ready again. `ended` is told in between."""
        server, stack = self.running.pop(host.port)
        with stack:
            server.terminate()
            status = server.wait(PATIENCE)
        ended()
        self.start(host)
        return status

    def stop(self) -> None:
        """Without a notice, which is for a proxy: told twice, they end at once."""
        for server, _ in self.running.values():
            server.terminate()
        for _, stack in self.running.values():
            stack.close()


@contextmanager
def new_gateways(folder: Path, database: URL, redis: str) -> Iterator[Gateways]:
    """Both run until the context ends."""
    port = free_port()
    shared = {
        "SITE_URL": f"https://{NAME}:{port}",
        "SECRET_KEY": "5f0d3b9a" * 8,
        "EMBEDDED_SIGN_IN": "true",
        "OAUTH_CLIENTS": CLIENTS_SETTING,
        "TRUSTED_PROXIES": "127.0.0.1",
        "REDIS_URL": redis,
        "REDIS_PATIENCE_SECONDS": "5",  # beside other tests it may get no processor for long
        "SHUTDOWN_NOTICE_SECONDS": str(NOTICE),
        **in_database(database),
    }
    one, two = ((folder / name) for name in ("one", "two"))
    one.mkdir()
    two.mkdir()
    gateways = Gateways((new_host(one, **shared), new_host(two, **shared)), port)
    try:
        for host in gateways.hosts:
            gateways.start(host)
        yield gateways
    finally:
        gateways.stop()


@contextmanager
def in_front(gateways: Gateways, folder: Path, program: str) -> Iterator[Front]:
    """This proxy, until the context ends."""
    _, trust = certificate(NAME, folder, MONTH)
    hosts = gateways.hosts
    with proxy(program, folder, gateways.port, [host.port for host in hosts]):
        yield Front(hosts[0], DocumentServer(), hosts, gateways.port, folder, trust)
