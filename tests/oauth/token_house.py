"""The token endpoints on a real store with real tokens, and with clients that the test rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette

from oauth.access_tokens import AccessClaims, AccessTokens
from oauth.credentials import StoredTokens
from oauth.endpoints.token import TokenEndpoints, TokenFlow
from oauth.errors import InvalidClient, StoreUnavailable
from oauth.flows.client_assertions import Assertions, ClientKeys
from oauth.flows.client_authentication import ClientAuthentication
from oauth.flows.clients import Clients
from oauth.flows.grant_types import GrantTypes
from oauth.flows.issued_tokens import IssuedTokens
from oauth.grants import Client, Grant
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores.base import on_announcement
from oauth.stores.clients import ClientStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from tests.oauth.clients import UNRECORDED, Spent, Web
from tests.oauth.delegating import KeysInMemory
from tests.oauth.delegations import CALLBACK, CLIENT, VERIFIER, client_of, code_of, grant_of

INTROSPECTION_SECRET = "known-inside-the-installation"
SETTINGS = OAuthSettings("https://gateway.example", ALL, introspection_secret=SecretStr(INTROSPECTION_SECRET))


class Tokens(AccessTokens):
    """The real ones, and what those say that were issued."""

    def __init__(self, keys: SigningKeys) -> None:
        super().__init__(keys, SETTINGS)
        self.issued: dict[str, AccessClaims] = {}

    async def issue(self, grant: Grant, scopes: frozenset[str], now: datetime) -> tuple[str, int]:
        token, seconds = await super().issue(grant, scopes, now)
        claims = await self.verify(token, now)
        assert claims is not None
        self.issued[token] = claims
        return token, seconds


@dataclass
class KnownClients(Clients, ClientStore):
    """Finds clients, and notes which were kept."""

    known: dict[str, Client]
    kept: list[str] = field(default_factory=list)
    is_broken: bool = False

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        if client_id not in self.known:
            raise InvalidClient("Who are you?")
        return self.known[client_id]

    async def keep_client(self, client_id: str, now: datetime) -> None:
        if self.is_broken:
            raise StoreUnavailable
        self.kept.append(client_id)


class House:
    """What a client of the endpoints meets; `now` moves when the test moves it."""

    def __init__(self, engine: AsyncEngine, user: User, now: datetime) -> None:
        self.store, self.user, self.now = GrantStore(engine), user, now
        self.keys = SigningKeys(KeysInMemory(), Sealer(SecretStr("the secret of this installation")), SETTINGS)
        self.tokens = Tokens(self.keys)
        self.gate = StoredTokens(self.tokens, GrantStore(engine), lambda: self.now)
        confidential = {"auth_methods": frozenset({"client_secret_post"}), "secret_digest": digest("s3cret")}
        machine = frozenset({"client_credentials"})
        self.clients = KnownClients(
            {
                client.id: client
                for client in (
                    client_of(now),
                    client_of(now, id="other"),
                    client_of(now, id="no-refresh", grant_types=frozenset({"authorization_code"})),
                    client_of(now, id="confidential", kind="configured", **confidential),
                    client_of(
                        now,
                        id="machine",
                        kind="configured",
                        **confidential,
                        grant_types=machine,
                        scopes=frozenset({"docs:read", "sparks:read"}),
                    ),
                    client_of(now, id="public-machine", kind="configured", grant_types=machine, scopes=ALL),
                    client_of(now, id="registered-machine", **confidential, grant_types=machine, scopes=ALL),
                )
            }
        )
        self.authenticate = ClientAuthentication(self.clients, Assertions(ClientKeys(Web()), Spent(), SETTINGS))
        self.announced: list[None] = []
        on_announcement(engine, partial(self.announced.append, None))
        self.noted: list[tuple[str | None, str, str | None, str]] = []
        grant_types = GrantTypes(self.store, self.tokens, SETTINGS, self)
        flows: dict[str, TokenFlow] = {
            "authorization_code": grant_types.authorization_code,
            "refresh_token": grant_types.refresh_token,
            "client_credentials": grant_types.client_credentials,
        }
        self.issued = IssuedTokens(
            self.store, DeviceStore(engine), self.tokens, SETTINGS, lambda _client_id: True, UNRECORDED
        )
        parts = self.authenticate, flows, self.issued, self.clients, SETTINGS.introspection_secret
        self.endpoints = TokenEndpoints(*parts, lambda: self.now, UNRECORDED)
        self.app = Starlette(routes=self.endpoints.routes)

    def note(
        self,
        user_id: str | None,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        """What the account page will show."""
        self.noted.append((user_id, event, client_id, outcome))

    def later(self, **units: float) -> None:
        self.now += timedelta(**units)

    async def code(self, client_id: str = CLIENT, **changes: Any) -> str:
        """A code of a new grant of the user for this client."""
        secret = str(uuid4())
        grant = grant_of(self.user, self.now, client_id=client_id)
        assert await self.store.approve(secret, grant, code_of(grant, self.now, secret, **changes), self.now)
        return secret

    async def send(self, method: str, path: str, place: str = "127.0.0.1", **request: Any) -> httpx2.Response:
        transport = httpx2.ASGITransport(self.app, client=(place, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="https://gateway.example") as client:
            return await client.request(method, path, **request)

    async def post(self, path: str, parameters: Mapping[str, str | None], **request: Any) -> httpx2.Response:
        """Parameters that are None are left out."""
        data = {name: value for name, value in parameters.items() if value is not None}
        return await self.send("POST", path, data=data, **request)

    async def redeem(self, code: str, **changes: str | None) -> httpx2.Response:
        valid = {"client_id": CLIENT, "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return await self.post("/oauth/token", {"grant_type": "authorization_code", **valid, **changes})

    async def refresh(self, token: str, **changes: str | None) -> httpx2.Response:
        valid = {"client_id": CLIENT, "refresh_token": token}
        return await self.post("/oauth/token", {"grant_type": "refresh_token", **valid, **changes})

    async def revoke(self, token: str, **changes: str | None) -> httpx2.Response:
        return await self.post("/oauth/revoke", {"client_id": CLIENT, "token": token, **changes})

    async def introspect(self, token: str, secret: str = INTROSPECTION_SECRET) -> Any:
        headers = {"authorization": f"Bearer {secret}"}
        return (await self.post("/oauth/introspect", {"token": token}, headers=headers)).json()

    async def tokens_of(self, client_id: str = CLIENT, **changes: str | None) -> dict[str, Any]:
        """The answer to a fresh code."""
        answer = await self.redeem(await self.code(client_id), client_id=client_id, **changes)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def is_live(self, token: str) -> bool:
        """Whether it is active, and for an access token: whether the resource server takes it."""
        active = bool((await self.introspect(token))["active"])
        if token in self.tokens.issued:
            assert (await self.gate.check(token) is not None) == active
        return active


def refused(answer: httpx2.Response) -> tuple[int, str]:
    """Status and the RFC's word, of an answer that must not be kept."""
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, answer.json()["error"]
