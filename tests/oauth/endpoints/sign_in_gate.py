"""The sign-in's endpoints on one application, and browsers that visit them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.account.sign_ins import PasskeysTab
from oauth.endpoints.callback import Callback, redirect_uri
from oauth.endpoints.login import Login
from oauth.endpoints.pages import Pages, asset_routes
from oauth.endpoints.passwords import ASK_PATH, PasswordPages
from oauth.endpoints.signed_in import SignedIn
from oauth.errors import ProtocolError
from oauth.flows.accounts import PasswordSignIn
from oauth.flows.external_sign_in import ExternalSignIn, ReturnUrls
from oauth.flows.passkeys import Passkeys
from oauth.flows.passwords import Mail, PasswordLinks
from oauth.identity.oidc import OidcProvider
from oauth.identity.provider import Provider, ProviderClient
from oauth.identity.supabase import SupabaseProvider
from oauth.primitives.clock import utc_now
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings, OidcSettings, SupabaseSettings
from oauth.stores import Stores
from oauth.stores.accounts import AccountStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import FailureStore, IdentityStore, SessionStore
from tests.html_pages import HtmlPage
from tests.oauth.oidc_provider import API_KEY, CLIENT_ID, CLIENT_SECRET, TRANSPORTS, Running

if TYPE_CHECKING:
    from oauth.factory import OAuth

SITE = "https://gw.example.com"
PATH = "/oauth/consent?request=handle"


@dataclass
class Waiting:
    """Stands for the clients that wait: it notes what they are told, and sends them to one address."""

    told: list[tuple[str, str]] = field(default_factory=list)
    waits: bool = True

    async def address(self, path: str, error: ProtocolError, now: datetime) -> str | None:
        self.told.append((path, error.error))
        return f"https://app.example/cb?error={error.error}" if self.waits else None


@dataclass
class Noted:
    """What happened, and by which app, key or passkey."""

    events: list[tuple[str, str | None]] = field(default_factory=list)

    def note(
        self,
        user_id: str | None,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        self.events.append((event, client_name))


class Gate:
    """The application. `time` moves its clock."""

    def __init__(
        self,
        engine: AsyncEngine,
        idp: Running | None,
        *,
        embedded: bool,
        supabase: bool = False,
        mail: Mail | None = None,
    ) -> None:
        self.time = timedelta()
        self.waiting, self.activity = Waiting(), Noted()
        self.app_behind: Mapping[str, Any] | None = None
        self.settings = OAuthSettings(SITE, frozenset(), embedded_sign_in=embedded)
        sealer = Sealer(SecretStr("a secret of this installation, long enough"))
        self.returning = ReturnUrls(sealer)
        self.signed_in = SignedIn(SessionStore(engine), self.returning, self.settings, self.activity)
        external = ExternalSignIn(
            self._providers(idp, supabase=supabase), IdentityStore(engine), GrantStore(engine), sealer, self.settings
        )
        password = PasswordSignIn(AccountStore(engine), FailureStore(engine))
        pages = Pages("app.account", "app.console")
        links = PasswordLinks(AccountStore(engine), sealer, SITE, mail)
        passwords = PasswordPages(pages, self.signed_in, password, links, self.now)
        forgot = None if mail is None else ASK_PATH
        passkeys = Passkeys(Stores(engine), sealer, self.settings, self.activity)
        given = pages, self.signed_in, password, passkeys, external, self.settings
        login = Login(*given, self.asking, self.now, forgot)
        house = {"stores": None, "activity": self.activity, "pages": pages, "signed_in": self.signed_in}
        added = PasskeysTab(cast("OAuth", SimpleNamespace(**house, passkeys=passkeys)), self.now)
        callback = Callback(pages, self.signed_in, external, self.waiting.address, self.now)
        who = Route("/who", self.who)
        self.app = Starlette(
            routes=[*login.routes, *added.routes, *passwords.routes, *callback.routes, who, *asset_routes()]
        )

    def now(self) -> datetime:
        return utc_now() + self.time

    async def asking(self, _path: str, _now: datetime) -> Mapping[str, Any] | None:
        """Stands for what is known of the app behind a return path; that is proved where apps ask."""
        return self.app_behind

    async def who(self, request: Request) -> Response:
        """The address of whoever this browser is signed in as."""
        found = await self.signed_in.of(request, self.now())
        return PlainTextResponse("nobody" if found is None else found.shown)

    def browser(self) -> "Browser":
        return Browser(self)

    def going_on(self, path: str = PATH) -> str:
        return self.returning.seal(path, self.now())

    def _providers(self, idp: Running | None, *, supabase: bool) -> list[Provider]:
        if idp is None:
            return []
        door = ProviderClient(TRANSPORTS, patience=2)
        oidc = OidcSettings(idp.origin, CLIENT_ID, SecretStr(CLIENT_SECRET), "Example & Co")
        providers: list[Provider] = [OidcProvider(oidc, redirect_uri(self.settings, "oidc"), door)]
        if supabase:
            project = SupabaseSettings(idp.origin, SecretStr(API_KEY))
            providers.append(SupabaseProvider(project, redirect_uri(self.settings, "supabase"), door))
        return providers


class Browser(httpx2.AsyncClient):
    """One browser with its cookies. It follows no redirect by itself."""

    def __init__(self, gate: Gate) -> None:
        transport = httpx2.ASGITransport(gate.app, client=("192.0.2.1", 1234))
        super().__init__(transport=transport, base_url=SITE, follow_redirects=False, trust_env=False)
        self.gate = gate

    async def open_login(self, path: str = PATH) -> httpx2.Response:
        return await self.get(f"/oauth/login?continue={quote(self.gate.going_on(path), safe='')}")

    async def submit(self, page: httpx2.Response, email: str, password: str) -> httpx2.Response:
        """Fill the form of the page in and send it, as a browser would."""
        data = HtmlPage(page.text).forms[0].fields | {"email": email, "password": password}
        return await self.post("/oauth/login", data=data, headers={"origin": SITE})

    async def who(self) -> str:
        return (await self.get("/who")).text
