"""A gateway to sign in to: the real server, accounts with passwords, and a host where clients describe themselves."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from oauth.flows.accounts import create_user
from oauth.stores.accounts import AccountStore
from tests.journeys.clients import PATIENCE
from tests.journeys.gateway import document_server
from tests.journeys.host import Host, new_host, opened
from tests.journeys.person import PASSWORD, Person
from tests.loopback import certificate
from tests.processes import serving

LOOPBACK = ["http://localhost/callback", "http://127.0.0.1/callback", "http://localhost/oauth/callback"]
PUBLIC, CONFIDENTIAL, MACHINE = "the-public-client", "the-confidential-client", "the-machine"
SECRET = "a secret of the operator +/=%: long enough"
CLIENTS: list[dict[str, Any]] = [
    {"client_id": PUBLIC, "client_name": "The App", "redirect_uris": LOOPBACK, "token_endpoint_auth_method": "none"},
    {"client_id": CONFIDENTIAL, "client_secret": SECRET, "redirect_uris": LOOPBACK},
    {
        "client_id": MACHINE,
        "client_secret": SECRET,
        "redirect_uris": [],
        "grant_types": ["client_credentials"],
        "scope": "sparks:read sparks:write",
    },
]
CLIENTS_SETTING = json.dumps(CLIENTS)


@dataclass
class DocumentServer:
    """An https host with documents; what is put on it is there at once."""

    origin: str = ""
    documents: dict[str, bytes] = field(default_factory=dict)

    def answer(self, path: str) -> tuple[int, str, bytes]:
        body = self.documents.get(path)
        return (404, "application/json", b"") if body is None else (200, "application/json", body)

    def put(self, path: str, document: Any) -> str:
        """The address of the document from now on."""
        self.documents[path] = json.dumps(document).encode()
        return f"{self.origin}{path}"

    def describe(self, **words: Any) -> str:
        """The client_id of a client that describes itself with `words`."""
        path = f"/{uuid4().hex}/client.json"
        return self.put(path, {"client_id": f"{self.origin}{path}", "redirect_uris": LOOPBACK, **words})


@dataclass
class SignInSite:
    """The running gateway."""

    host: Host
    documents: DocumentServer

    @property
    def origin(self) -> str:
        return self.host.origin

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    @asynccontextmanager
    async def somebody(self) -> AsyncIterator[Person]:
        """A new account, and who has it, at a browser of their own."""
        email = await new_account(self.host)
        async with self.web() as browser:
            yield Person(browser, email)

    def web(self, **headers: str) -> httpx2.AsyncClient:
        """A client of the gateway without cookies and without a credential."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.AsyncClient(
            base_url=self.origin, headers=named, timeout=PATIENCE, trust_env=False, **self.connection()
        )

    def connection(self) -> dict[str, Any]:
        """The options with which a client finds the gateway."""
        return {}


@contextmanager
def running_site(folder: Path, web: str) -> Iterator[SignInSite]:
    """`python -m app serve` with the clients of `CLIENTS`; it may also read what is at the `host:port` of `web`."""
    documents = DocumentServer()
    tls, _ = certificate("localhost", folder)
    with document_server(documents.answer, tls) as port:
        documents.origin = f"https://localhost:{port}"
        reading = {"FETCH_ALLOW_HOSTS": f"localhost:{port},{web}", "SSL_CERT_FILE": str(folder / "both.pem")}
        host = new_host(folder, OAUTH_CLIENTS=CLIENTS_SETTING, **reading)
        with serving(("-m", "app", "serve"), host.port, folder, host.settings):
            yield SignInSite(host, documents)


async def new_account(host: Host) -> str:
    """The e-mail address of a new account with the password of all of them."""
    email = f"{uuid4().hex}@example.com"
    async with opened(host) as engine:
        await create_user(AccountStore(engine), email, PASSWORD, datetime.now(UTC))
    return email
