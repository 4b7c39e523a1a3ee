"""The browser's way through authorization: the real endpoints on the real stores, and browsers that fill in forms."""

import html
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
from pydantic import SecretStr
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from oauth.endpoints.asking import AskingApp
from oauth.endpoints.consent import ConsentPage
from oauth.endpoints.http import form
from oauth.endpoints.pages import Pages
from oauth.endpoints.signed_in import SignedIn
from oauth.errors import InvalidClient
from oauth.flows.authorization import Authorization
from oauth.flows.client_logos import ClientLogos
from oauth.flows.clients import Clients
from oauth.flows.consent import Consents
from oauth.flows.external_sign_in import ReturnUrls
from oauth.grants import Client
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import ConsentStore, SessionStore
from oauth.stores.tables import metadata
from tests.html_pages import HtmlPage
from tests.oauth.clients import UNRECORDED, Web

SITE = "https://minds.example"
REDIRECT = "https://app.example/cb"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
START = datetime.fromisoformat("2026-11-20T09:00:00.123+00:00")


def client(client_id: str = "app", *redirect_uris: str, **changes: object) -> Client:
    """A registration; `changes` are fields of it."""
    values: dict[str, object] = {"kind": "registered", "name": "Some App", "created_at": START, **changes}
    return Client(client_id, redirect_uris=redirect_uris or (REDIRECT,), **values)  # type: ignore[arg-type]  # a test's own


class Directory(Clients):
    """The clients of a test, behind the question that the flows ask."""

    def __init__(self) -> None:
        self.clients: dict[str, Client] = {}
        self.fault: Exception | None = None

    def add(self, *clients: Client) -> None:
        self.clients |= {each.id: each for each in clients}

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        if self.fault is not None:
            raise self.fault
        if client_id not in self.clients:
            raise InvalidClient("No client has this client_id.")
        return self.clients[client_id]


class Browser:
    """One browser with its own cookies. It follows redirects within the site and stops at the client's."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    async def visit(self, address: str) -> httpx2.Response:
        """The page at the end of our own redirects, or the redirect that leads away."""
        return await self._followed(await self.http.get(address))

    async def post(self, address: str, data: dict[str, str], **headers: str) -> httpx2.Response:
        return await self.http.post(address, data=data, headers={"origin": SITE, **headers})

    async def submit(self, page: httpx2.Response, answer: str, **changes: str | None) -> httpx2.Response:
        """Press a button of the page's form; a change of None takes the field away."""
        form = HtmlPage(page.text).form
        fields = {**form.fields, **changes, "answer": answer}
        return await self.post(form.action, {name: value for name, value in fields.items() if value is not None})

    async def sign_in(self, email: str, login: str = "/oauth/login") -> httpx2.Response:
        """Sign in on the page that `login` is, and go on from there."""
        return await self._followed(await self.post(login, {"email": email}))

    async def _followed(self, response: httpx2.Response) -> httpx2.Response:
        while response.is_redirect and response.headers["location"].startswith("/"):
            response = await self.http.get(response.headers["location"])
        return response


@dataclass
class Gate:
    """The endpoints, and what a test may turn: the clock, the clients, the accounts."""

    engine: AsyncEngine
    settings: OAuthSettings = field(default_factory=lambda: OAuthSettings(SITE, ALL))
    directory: Directory = field(default_factory=Directory)
    users: dict[str, User] = field(default_factory=dict)
    now: datetime = START
    web: Web = field(default_factory=Web)

    def __post_init__(self) -> None:
        sealer = Sealer(SecretStr("a secret of this installation, long enough"))
        self.returning = ReturnUrls(sealer)
        self.grants = GrantStore(self.engine)
        self.signed_in = SignedIn(SessionStore(self.engine), self.returning, self.settings, UNRECORDED)
        self.consents = Consents(ConsentStore(self.engine), self.grants, self.settings)
        self.authorization = Authorization(self.directory, sealer, self.settings)
        pages = Pages()
        self.asking = AskingApp(self.authorization, ClientLogos(self.web), pages, self.clock)
        self.consent = ConsentPage(
            self.authorization, self.consents, self.asking, self.signed_in, pages, self.settings, self.clock
        )
        login = Route("/oauth/login", self._login, methods=["GET", "POST"])
        self.app = Starlette(routes=[*self.consent.routes, *self.asking.routes, login])
        self._exits = AsyncExitStack()

    def clock(self) -> datetime:
        return self.now

    def later(self, by: timedelta) -> None:
        self.now += by

    async def browser(self) -> Browser:
        """A new browser, signed in nowhere."""
        transport = httpx2.ASGITransport(self.app)
        http = httpx2.AsyncClient(transport=transport, base_url=SITE, follow_redirects=False)
        return Browser(await self._exits.enter_async_context(http))

    async def signed_in_browser(self, email: str) -> Browser:
        browser = await self.browser()
        await browser.sign_in(email)
        return browser

    async def rows(self) -> int:
        """How many there are in all tables together."""
        async with self.engine.connect() as connection:
            counts = [
                (await connection.execute(select(func.count()).select_from(table))).scalar_one()
                for table in metadata.sorted_tables
            ]
        return sum(counts)

    async def aclose(self) -> None:
        await self._exits.aclose()

    async def _login(self, request: Request) -> Response:
        """Sign-in without proof: it is proved elsewhere. The session and the way back are the real ones."""
        onward = self.returning.open(request.query_params.get("continue"), self.now)
        if request.method == "GET":
            return PlainTextResponse("Sign in")
        email = (await form(request)).require("email")
        path = onward.path if "continue" in request.query_params else "/oauth/login"
        return await self.signed_in.enter(request, self.users[email], path, self.now)


@asynccontextmanager
async def gate_on(engine: AsyncEngine, *users: User) -> AsyncIterator[Gate]:
    """A gate on this database with these accounts and one registered client, `app`."""
    gate = Gate(engine, users={user.email: user for user in users})
    gate.directory.add(client())
    try:
        yield gate
    finally:
        await gate.aclose()


def asked(**changes: str | None) -> dict[str, str]:
    """The parameters of a request in order; a change of None leaves one out."""
    values: dict[str, str | None] = {
        "response_type": "code",
        "client_id": "app",
        "redirect_uri": REDIRECT,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": "s t/=&+é",
        "scope": "sparks:read sparks:write",
        **changes,
    }
    return {name: value for name, value in values.items() if value is not None}


def address(**changes: str | None) -> str:
    return str(httpx2.URL("/oauth/authorize", params=asked(**changes)))


def answer(response: httpx2.Response) -> dict[str, str]:
    """What the client is told, each parameter once."""
    return answer_of(response.headers["location"])


def answer_of(location: str) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(location).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def is_local_page(response: httpx2.Response) -> bool:
    """Whether it refuses here, and leads nowhere."""
    return 400 <= response.status_code < 500 and "location" not in response.headers


def words(page: httpx2.Response) -> str:
    """The text of a page without its markup."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.text)))


def login_of(response: httpx2.Response) -> str:
    """The address of the sign-in page that a browser was led to."""
    assert parse_qs(urlsplit(str(response.url)).query).keys() == {"continue"}
    return str(response.url)
