"""A gateway to sign in to: the real server, accounts with passwords, and a host where clients describe themselves."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2

from oauth.flows.accounts import create_user
from oauth.stores.accounts import AccountStore
from tests.journeys.clients import PATIENCE
from tests.journeys.host import Host, new_host, opened
from tests.journeys.person import PASSWORD, Person, at_a_browser
from tests.loopback import certificate
from tests.processes import HOST, free_port, serving

LOOPBACK = ["http://localhost/callback", "http://127.0.0.1/callback", "http://localhost/oauth/callback"]
DESK, SAFE, ROBOT, SECRET = "the-desk", "the-safe", "the-robot", "a secret of the operator +/=%: long enough"
CLIENTS: list[dict[str, Any]] = [
    {"client_id": DESK, "client_name": "The Desk", "redirect_uris": LOOPBACK, "token_endpoint_auth_method": "none"},
    {"client_id": SAFE, "client_secret": SECRET, "redirect_uris": LOOPBACK},
    {
        "client_id": ROBOT,
        "client_secret": SECRET,
        "redirect_uris": [],
        "grant_types": ["client_credentials"],
        "scope": "sparks:read sparks:write",
    },
]
CLIENTS_SETTING = json.dumps(CLIENTS)


@dataclass(frozen=True)
class Shelf:
    """An https host with documents; what is put on it is there at once."""

    origin: str
    documents: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, document: Any) -> str:
        """The address of the document from now on."""
        self.documents[path] = json.dumps(document).encode()
        return f"{self.origin}{path}"

    def describe(self, **words: Any) -> str:
        """The client_id of a client that describes itself with `words`."""
        path = f"/{uuid4().hex}/client.json"
        return self.put(path, {"client_id": f"{self.origin}{path}", "redirect_uris": LOOPBACK, **words})


@dataclass(frozen=True)
class House:
    """The running gateway."""

    host: Host
    shelf: Shelf

    @property
    def origin(self) -> str:
        return self.host.origin

    @property
    def url(self) -> str:
        return self.host.url

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        """A new account, and who has it, at a browser of their own."""
        async with at_a_browser(await new_account(self.host)) as person:
            yield person

    def web(self, **headers: str) -> httpx2.AsyncClient:
        """A client of the gateway without cookies and without a credential."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.AsyncClient(base_url=self.origin, headers=named, timeout=PATIENCE, trust_env=False)


class _Documents(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: Any, shelf: Shelf) -> None:
        self._shelf = shelf
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._shelf.asked.append(self.path)
        body = self._shelf.documents.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body or b"")))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def shelf_in(folder: Path) -> Iterator[tuple[Shelf, dict[str, str]]]:
    """The host with documents, and the settings by which a gateway may read them."""
    tls, _ = certificate("localhost", folder)
    shelf = Shelf(f"https://localhost:{free_port()}")
    with ThreadingHTTPServer((HOST, urlsplit(shelf.origin).port or 0), partial(_Documents, shelf=shelf)) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        allowed = shelf.origin.removeprefix("https://")
        yield shelf, {"FETCH_ALLOW_HOSTS": allowed, "SSL_CERT_FILE": str(folder / "both.pem")}
        server.shutdown()
        thread.join()


@contextmanager
def running_house(folder: Path) -> Iterator[House]:
    """`python -m app serve` with the clients of `CLIENTS`."""
    with shelf_in(folder) as (shelf, reading):
        host = new_host(folder, OAUTH_CLIENTS=CLIENTS_SETTING, **reading)
        with serving(("-m", "app", "serve"), host.port, folder, host.settings):
            yield House(host, shelf)


async def new_account(host: Host) -> str:
    """The e-mail address of a new account with the password of all of them."""
    email = f"{uuid4().hex}@example.com"
    async with opened(host) as engine:
        await create_user(AccountStore(engine), email, PASSWORD, datetime.now(UTC))
    return email
