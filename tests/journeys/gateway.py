"""What a client needs to know of the real server, two accounts with keys, and documents on the web for it to read."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app.storage.engine import database_url, open_engine
from oauth.flows.accounts import create_user
from oauth.flows.api_keys import create_key
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from tests.conftest import in_thread
from tests.journeys.handbook import handbook
from tests.journeys.person import PASSWORD
from tests.processes import HOST

PAGE = (Path(__file__).parent / "bakery.html").read_bytes()
INTERVIEWS = {f"/{path.name}": path.read_bytes() for path in (Path(__file__).parent / "interviews").iterdir()}


@dataclass(frozen=True)
class Gateway:
    """A running server, and what a client needs to know of it.

    `settings` are its environment: a stdio server with the same ones serves the same data.
    """

    url: str
    document: str
    alice: str
    bob: str
    settings: dict[str, str]
    folder: Path


@contextmanager
def document_server(
    answer: Callable[[str], tuple[int, str, bytes]], tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """The port of a server that answers each path with this status, media type and body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, body = answer(self.path)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def web_page(path: str) -> tuple[int, str, bytes]:
    """The interviews, the handbook, and one page under every other path."""
    if path == "/handbook.pdf":
        return 200, "application/pdf", handbook()
    kind = "plain" if path in INTERVIEWS else "html"
    return 200, f"text/{kind}; charset=utf-8", INTERVIEWS.get(path, PAGE)


def new_user(email: str, settings: dict[str, str]) -> str:
    """A key with every scope, of a new account with the usual password, made beside the server that has the data."""

    async def make() -> str:
        engine = open_engine(database_url(settings.get("DATABASE_URL"), Path(settings["DATA_DIR"])))
        store, now = AccountStore(engine), datetime.now(UTC)
        user = await create_user(store, email, PASSWORD, now)
        key = await create_key(store, user, name="journey", scopes=ALL, lifetime=None, now=now)
        await engine.dispose()
        return key.secret

    return in_thread(make())
