"""The account and connect pages on the real authorization server, and browsers that are signed in."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette

from app.account.page import account_routes
from app.audit.activity import AuditActivity
from app.audit.database import DatabaseSink
from app.connect.page import ConnectPage, Examine, examine_quietly
from app.oauth_outgoing import open_fetch
from mcp_server.audit.recorder import Recorder
from oauth.credentials import StoredKeys
from oauth.endpoints.pages import Pages
from oauth.errors import StoreUnavailable
from oauth.factory import OAuth
from oauth.flows.accounts import create_user
from oauth.flows.passwords import Mail
from oauth.grants import Consent, Device, Grant
from oauth.models import User, Verified
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores.accounts import AccountStore
from tests.oauth.delegations import code_of, grant_of, session_of

SITE = "https://minds.example"
TABS = ("/account", "/account/keys", "/account/activity", "/account/sessions", "/account/settings")
NOW = datetime.fromisoformat("2026-11-20T09:00:00.123+00:00")


@dataclass
class Clock:
    """The time of the house."""

    time: datetime = NOW

    def __call__(self) -> datetime:
        return self.time


@dataclass
class House:
    """`http` has no session; `browser` gives one that has."""

    oauth: OAuth
    http: httpx2.AsyncClient
    recorder: Recorder
    deleted: list[str]
    clock: Clock

    async def account(self, email: str, password: str | None = None) -> User:
        """A new account; without a password it is one of an identity provider."""
        if password is not None:
            return await create_user(self.oauth.stores.accounts, email, password, NOW)
        user = User(str(uuid4()), email, NOW)
        await self.oauth.stores.accounts.add_user(user)
        return user

    async def browser(self, user: User, since: timedelta = timedelta()) -> "Browser":
        """Signed in for so long."""
        secret = await session_of(self.oauth.stores.sessions, user, NOW - since)
        return Browser(self.http, {"cookie": f"__Host-session={secret}", "origin": SITE})

    async def connected(self, user: User, client_id: str = "client_a", name: str = "Cursor") -> Grant:
        """A live grant of this client, allowed and remembered."""
        end = NOW.replace(year=2027)
        grant = Grant(str(uuid4()), user.id, client_id, name, "localhost", ALL, f"{SITE}/mcp", NOW, end)
        await self.oauth.stores.grants.add_grant(grant)
        await self.oauth.stores.consents.keep_consent(Consent(user.id, client_id, "localhost", ALL, NOW, end))
        return grant

    async def allowed(self, user: User, client_id: str = "client_a", name: str = "Cursor") -> str:
        """The digest of a code that this client has not redeemed yet."""
        grant = grant_of(user, NOW, client_id=client_id, client_name=name)
        code = code_of(grant, NOW, grant.id)
        assert await self.oauth.stores.grants.approve(grant.id, grant, code, NOW)
        return code.digest

    async def let_in(self, user: User, client_id: str = "client_a", name: str = "Cursor") -> str:
        """The digest of the code of a device that the person let in, and that has not asked since."""
        devices, digest, end = self.oauth.stores.devices, str(uuid4()), NOW + timedelta(minutes=10)
        await devices.add_device(Device(digest, digest, client_id, name, ALL, f"{SITE}/mcp", NOW, end, 5))
        assert await devices.decide(digest, user_id=user.id, scopes=ALL, now=NOW)
        return digest


@dataclass
class Browser:
    """One signed-in browser that fills in forms as a person does, and keeps the cookie that offers to undo."""

    http: httpx2.AsyncClient
    headers: dict[str, str]

    async def get(self, path: str) -> httpx2.Response:
        return await self.http.get(path, headers=self.headers)

    async def account(self) -> str:
        """What all tabs of the account show."""
        return "".join([(await self.get(path)).text for path in TABS])

    async def post(self, path: str, **fields: str | None) -> httpx2.Response:
        """Send the form at `path` with what the page of keys fills in; None takes a field away."""
        page = (await self.get("/account/keys")).text
        filled: dict[str, str | None] = {"csrf": hidden_value(page, "csrf", after='class="tabs"')}
        if "New key" in page:
            lifetime = page.split(" selected>")[1].split("<")[0]
            filled |= {"once": once(page), "lifetime": lifetime}
        data = {name: value for name, value in (filled | fields).items() if value is not None}
        answer = await self.http.post(path, data=data, headers=self.headers)
        if undo := re.search(r"__Host-undo=([^;]*)", answer.headers.get("set-cookie", "")):
            session = self.headers["cookie"].partition(";")[0]
            self.headers["cookie"] = f"{session}; __Host-undo={undo[1]}" if undo[1].strip('"') else session
        return answer


def hidden_value(page: str, name: str, after: str = "") -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page[page.index(after) :])
    assert found is not None
    return found[1]


def once(page: str) -> str:
    """What the form for a new key is sent with; nothing where there is no such form."""
    return hidden_value(page, "once", after="New key") if "New key" in page else ""


class RealKeys:
    """A real internal API, which takes every key but those in `dead`, unless it is down."""

    def __init__(self) -> None:
        self.dead: set[str] = set()
        self.asked: list[str] = []
        self.is_down = self.is_silent = False

    async def check(self, bearer: str, /) -> Verified | None:
        self.asked.append(bearer)
        if self.is_silent:
            await asyncio.Event().wait()
        if self.is_down:
            raise StoreUnavailable("nobody there")
        return None if bearer in self.dead else Verified("somebody", frozenset(), bearer[-4:])


@asynccontextmanager
async def house(
    engine: AsyncEngine,
    *,
    real_api: str | None = None,
    keys: RealKeys | None = None,
    clients: Sequence[Mapping[str, Any]] = (),
    examine: Examine = examine_quietly,
    scopes: frozenset[str] = ALL,
    is_kept: bool = True,
    mail: Mail | None = None,
) -> AsyncIterator[House]:
    clock = Clock()
    fetch, recorder = open_fetch(()), Recorder([DatabaseSink(engine)] if is_kept else [])
    oauth = OAuth(
        OAuthSettings(SITE, scopes, clients=tuple(clients)),
        engine,
        Sealer(SecretStr("a secret of this installation, long enough")),
        StoredKeys(AccountStore(engine), clock) if real_api is None else keys or RealKeys(),
        fetch,
        pages=Pages("app.account", "app.connect", "app.console"),
        activity=AuditActivity(recorder, engine, NOW.timestamp),
        mail=mail,
        now=clock,
    )
    deleted: list[str] = []

    async def delete_owned(user_id: str) -> None:
        deleted.append(user_id)

    embedded = delete_owned if real_api is None else None
    account = account_routes(oauth, real_api, embedded, clock)
    connect = ConnectPage(oauth, real_api=real_api, examine=examine, now=clock)
    app = Starlette(routes=[*account, *connect.routes, *oauth.routes])
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE)
    async with recorder.running(), client as http:
        yield House(oauth, http, recorder, deleted, clock)
    await fetch.aclose()
