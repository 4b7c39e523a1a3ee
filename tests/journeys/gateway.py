"""The real server process, two accounts with keys, and a document on the web for it to read."""

import subprocess
import sys
import threading
from collections.abc import Iterator
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
from tests.processes import HOST, environment, free_port, serving

PASSWORD = "correct horse battery staple"
"""Of every account that `new_user` or `command` creates."""
PAGE = (Path(__file__).parent / "bakery.html").read_bytes()
INTERVIEWS = {f"/{path.name}": path.read_bytes() for path in (Path(__file__).parent / "interviews").iterdir()}
DOCUMENTS = {
    "/handbook.pdf": ("application/pdf", handbook()),
    **{path: ("text/plain", text) for path, text in INTERVIEWS.items()},
}


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


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, body = DOCUMENTS.get(self.path, ("text/html", PAGE))
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def document_server() -> Iterator[str]:
    """`host:port` of a server with the interviews, the handbook, and one page under every other path."""
    with ThreadingHTTPServer((HOST, 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"{HOST}:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def running_gateway(folder: Path) -> Iterator[Gateway]:
    """`python -m app serve` with an account for Alice and one for Bob."""
    port = free_port()
    with document_server() as documents:
        settings = {
            "HOST": HOST,
            "PORT": str(port),
            "DATA_DIR": str(folder / "var"),
            "FETCH_ALLOW_HOSTS": documents,
        }
        with serving(("-m", "app", "serve"), port, folder, settings):
            yield Gateway(
                url=f"http://{HOST}:{port}/mcp",
                document=f"http://{documents}/bakery.html",
                alice=new_user("alice@example.com", settings),
                bob=new_user("bob@example.com", settings),
                settings=settings,
                folder=folder,
            )


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


def command(*arguments: str, settings: dict[str, str], folder: Path) -> str:
    """What `python -m app ARGUMENTS` prints on standard output."""
    run = subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=folder,
        env=environment(**settings),
        input=f"{PASSWORD}\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
