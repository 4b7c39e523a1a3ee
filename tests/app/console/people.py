"""The whole gateway with its own tools, and people who have signed in to its pages."""

import html
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from app.composition import Parts
from app.settings import Settings
from app.storage.engine import open_engine
from oauth.flows.api_keys import create_key
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import SessionStore
from tests.edge import PATIENCE, SITE, running, settings_for, within
from tests.oauth.delegations import session_of

HTML = {"accept": "text/html"}
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass
class Person:
    """A browser that is signed in, and a key of the same account for the API."""

    http: httpx2.AsyncClient
    headers: dict[str, str]
    key: str

    async def get(self, path: str) -> httpx2.Response:
        return await self.http.get(path, headers=self.headers)

    async def post(
        self, path: str, fields: Mapping[str, str], *, page: str = "/personas/new", file: Any = None
    ) -> httpx2.Response:
        """Send a form with the token of `page`. `file` is a name, its content and a media type."""
        token = CSRF.findall((await self.get(page)).text)[0]
        files = None if file is None else {"file": file}
        return await self.http.post(path, data={"csrf": token, **fields}, files=files, headers=self.headers)

    async def api(self, method: str, path: str, **said: Any) -> Any:
        """Call the embedded API, as an assistant's tools do."""
        headers = {"authorization": f"Bearer {self.key}"}
        answer = await self.http.request(method, f"/api/v1{path}", headers=headers, **said)
        assert answer.is_success, answer.text
        return answer.json()

    async def persona(self, **fields: str) -> str:
        """The address of a persona that was made on the page, and trained to the end."""
        wish = {"name": "Ada", "source": "text", "text": "The loom weaves damask at night.", **fields}
        answer = await self.post("/personas/new", wish)
        assert answer.status_code == 303, answer.text
        address: str = answer.headers["location"]
        await self.trained(address)
        return address

    async def trained(self, address: str) -> str:
        """The events of the training, up to its end."""
        told = ""
        while "event: done" not in told:
            told += (await within(self.get(f"{address}/live"))).text
        return told


@dataclass
class House:
    """`stranger` has not signed in."""

    settings: Settings
    stranger: httpx2.AsyncClient

    async def person(self) -> Person:
        engine, now = open_engine(self.settings.database), datetime.now(UTC)
        user, store = User(str(uuid4()), f"{uuid4().hex}@example.com", now), AccountStore(engine)
        await store.add_user(user)
        made = await create_key(store, user, name="test", scopes=ALL, lifetime=None, now=now)
        secret = await session_of(SessionStore(engine), user, now)
        await engine.dispose()
        cookie = f"port-8000-session={secret}"
        return Person(self.stranger, {"cookie": cookie, "origin": SITE, **HTML}, made.secret)


@asynccontextmanager
async def house(
    folder: Path, transport: httpx2.AsyncBaseTransport | None = None, **settings: Any
) -> AsyncIterator[House]:
    """`transport` leads to another internal API than the embedded one."""
    given = settings_for(folder, **settings)
    async with running(given, Parts(transport=transport)) as edge:
        edge.client.timeout = httpx2.Timeout(2 * PATIENCE)
        yield House(given, edge.client)


def shown(page: str) -> str:
    """What is in `main`, as text with its entities resolved."""
    return html.unescape(page[page.index("<main") :])
