"""Opens a gateway on a loopback port with accounts whose names never change, and plays a group against it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from app.composition import Parts
from app.factory import create_app
from app.storage.engine import open_engine
from oauth.flows.accounts import create_user
from oauth.flows.api_keys import create_key
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from tests.edge import PATIENCE, SITE, free_socket, lifespan, listening, make_keys, settings_for
from tests.exchanges.api import api_v1
from tests.exchanges.mcp_eras import mcp_2025, mcp_2026
from tests.exchanges.oauth import oauth
from tests.exchanges.player import Player
from tests.exchanges.site import METRICS_TOKEN, exports, health, limits, pages

Group = Callable[[Player], Awaitable[None]]
PASSWORD = "correct horse battery staple"
PLENTY = "1000000/day"
SETTINGS: Mapping[str, Any] = {
    "http_error_status": "auto",
    "rate_limit_anonymous": PLENTY,
    "rate_limit_authenticated": PLENTY,
    "rate_limit_oauth": f"register={PLENTY},token={PLENTY},revoke={PLENTY},device={PLENTY}",
    "trusted_proxies": ("127.0.0.1",),
    "max_body_bytes": 65_536,
    "export_link_seconds": 6,
    "metrics_token": METRICS_TOKEN,
    "introspection_secret": "only-for-the-recordings-0123456789abcdef",
    "security_contact": ("mailto:security@example.com",),
}
TINY = {"rate_limit_anonymous": "2/day", "rate_limit_authenticated": "3/day", "rate_limit_oauth": "register=1/day"}
GROUPS: Mapping[str, Group] = {
    each.__name__: each for each in (mcp_2025, mcp_2026, oauth, pages, health, api_v1, exports)
}
LIMITED: Mapping[str, Group] = {"limits": limits}
NAMES = (*GROUPS, *LIMITED)


async def transcripts(parts: Parts | None = None, names: Collection[str] = NAMES) -> dict[str, str]:
    """What the gateway answers today, by group."""
    played: dict[str, str] = {}
    for settings, every in ((SETTINGS, GROUPS), ({**SETTINGS, **TINY}, LIMITED)):
        groups = {name: group for name, group in every.items() if name in names}
        if not groups:
            continue
        with TemporaryDirectory() as folder:
            async with _client(Path(folder), settings, groups, parts) as (client, keys):
                for number, (name, group) in enumerate(groups.items(), 1):
                    play = Player(client, f"192.0.2.{number}", *keys[name])
                    await group(play)
                    played[name] = play.transcript()
    return played


@asynccontextmanager
async def _client(
    folder: Path, values: Mapping[str, Any], groups: Mapping[str, Group], parts: Parts | None
) -> AsyncIterator[tuple[httpx2.AsyncClient, dict[str, tuple[str, str, str]]]]:
    with free_socket() as sock:
        port = sock.getsockname()[1]
        settings = settings_for(folder, **values, port=port)
        await make_keys(settings)  # migrates
        keys = {name: await _account(settings.database, f"{name}@example.com") for name in groups}
        app = create_app(settings, parts or Parts())
        headers = {"host": SITE.removeprefix("http://")}
        async with (
            lifespan(app),
            listening(app, settings, sock),
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE) as client,
        ):
            yield client, keys


async def _account(database: Any, email: str) -> tuple[str, str, str]:
    """An account with a password; a key with every scope, one with a scope that no tool wants, and the address."""
    engine, now = open_engine(database), datetime.now(UTC)
    store = AccountStore(engine)
    user = await create_user(store, email, PASSWORD, now)
    made = [
        await create_key(store, user, name="recorded", scopes=scopes, lifetime=None, now=at)
        for scopes, at in ((frozenset(ALL), now - timedelta(seconds=1)), (frozenset({"docs:read"}), now))
    ]
    await engine.dispose()
    return made[0].secret, made[1].secret, email
