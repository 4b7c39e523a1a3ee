"""Two gateways on one database and one Redis, behind a real proxy that ends TLS."""

import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from sqlalchemy import URL

from tests.deploy.proxies import NAME, proxy
from tests.journeys.clients import PATIENCE
from tests.journeys.host import Host, Server, in_database, new_host, started
from tests.journeys.house import CLIENTS_SETTING, House, Shelf, new_account
from tests.journeys.person import Person
from tests.loopback import certificate
from tests.processes import free_port

MONTH = 30 * 24


@dataclass(frozen=True)
class Front(House):
    """The installation as everybody outside sees it. `hosts` are told apart by nobody."""

    hosts: tuple[Host, Host]
    port: int
    program: str
    folder: Path
    trust: ssl.SSLContext

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def web(self, **headers: str) -> httpx2.AsyncClient:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.AsyncClient(
            base_url=self.origin, headers=named, timeout=PATIENCE, trust_env=False, verify=self.trust
        )

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        email = await new_account(self.hosts[0])
        async with self.web() as browser:
            yield Person(browser, email)

    def requests_of(self, host: Host, path: str) -> int:
        """How many this host has logged."""
        log = (host.folder / f"server-{host.port}.log").read_text(encoding="utf-8")
        return log.count(f'"path":"{path}"')

    @asynccontextmanager
    async def running(self) -> AsyncIterator[list[Server]]:
        """Both hosts and the proxy."""
        async with AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(started(host)) for host in self.hosts]
            stack.enter_context(proxy(self.program, self.folder, self.port, [host.port for host in self.hosts]))
            yield servers


def new_front(folder: Path, program: str, database: URL, redis: str, **more: str) -> Front:
    """A place for all of it; nothing runs yet."""
    port = free_port()
    shared = {
        "SITE_URL": f"https://{NAME}:{port}",
        "SECRET_KEY": "5f0d3b9a" * 8,
        "EMBEDDED_SIGN_IN": "true",
        "OAUTH_CLIENTS": CLIENTS_SETTING,
        "TRUSTED_PROXIES": "127.0.0.1",
        "REDIS_URL": redis,
        **in_database(database),
        **more,
    }
    hosts = []
    for name in ("one", "two"):
        (folder / name).mkdir()
        hosts.append(new_host(folder / name, **shared))
    _, trust = certificate(NAME, folder, MONTH)
    return Front(hosts[0], Shelf(""), (hosts[0], hosts[1]), port, program, folder, trust)
