"""The Python SDK's own OAuth client, with a person in place of the browser that it would open."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

import httpx2
import mcp
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.journeys.clients import PATIENCE, PythonClient, _mode
from tests.journeys.person import Person
from tests.journeys.sign_in_site import CONFIDENTIAL, MACHINE, PUBLIC, SECRET, SignInSite

REDIRECT = "http://127.0.0.1:33419/callback"
SecretMethod = Literal["client_secret_basic", "client_secret_post"]


@dataclass
class Memory:
    """What the SDK keeps between two runs."""

    client: OAuthClientInformationFull | None = None
    tokens: OAuthToken | None = None
    issued: list[OAuthToken] = field(default_factory=list)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens
        self.issued.append(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class App:
    """A program built on the SDK: what it remembers, and each address that it opened in the person's browser."""

    site: SignInSite
    person: Person
    memory: Memory = field(default_factory=Memory)
    document: str | None = None
    opened: list[str] = field(default_factory=list)
    refused_scopes: Sequence[str] = ()
    provider: OAuthClientProvider = field(init=False)

    def __post_init__(self) -> None:
        self.provider = OAuthClientProvider(
            self.site.url,
            OAuthClientMetadata(client_name="An SDK app", redirect_uris=[AnyUrl(REDIRECT)]),
            self.memory,
            redirect_handler=self._open,
            callback_handler=self._answered,
            client_metadata_url=self.document,
        )

    @property
    def tokens(self) -> OAuthToken:
        assert self.memory.tokens is not None
        return self.memory.tokens

    @property
    def client_id(self) -> str:
        assert self.memory.client is not None
        assert self.memory.client.client_id is not None
        return self.memory.client.client_id

    @asynccontextmanager
    async def connected(self, era: str) -> AsyncIterator[PythonClient]:
        async with connected_by(self.provider, self.site, era) as client:
            yield client

    def let_the_token_expire(self) -> None:
        """By the app's own clock, which is all that it goes by."""
        self.provider.context.token_expiry_time = 1.0

    async def _open(self, address: str) -> None:
        self.opened.append(address)

    async def _answered(self) -> AuthorizationCodeResult:
        answer = await self.person.allow(self.opened[-1], without=self.refused_scopes)
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


def app_by(way: str, site: SignInSite, person: Person) -> App:
    """An app that is known to the gateway by its document, by registration, or by the operator's settings."""
    if way == "document":
        described = site.documents.describe(client_name="An SDK app", token_endpoint_auth_method="none")
        return App(site, person, document=described)
    if way == "registration":
        return App(site, person)
    if way == "settings with a secret":
        safe = OAuthClientInformationFull(
            client_id=CONFIDENTIAL,
            client_secret=SECRET,
            redirect_uris=[AnyUrl(REDIRECT)],
            token_endpoint_auth_method="client_secret_basic",
        )
        return App(site, person, Memory(client=safe))
    known = OAuthClientInformationFull(
        client_id=PUBLIC, redirect_uris=[AnyUrl(REDIRECT)], token_endpoint_auth_method="none"
    )
    return App(site, person, Memory(client=known))


@asynccontextmanager
async def machine(site: SignInSite, method: SecretMethod, era: str) -> AsyncIterator[PythonClient]:
    """The SDK's client for machines, which shows the robot's secret by this method."""
    provider = ClientCredentialsOAuthProvider(
        site.url, Memory(), MACHINE, SECRET, token_endpoint_auth_method=method, issuer=site.origin
    )
    async with connected_by(provider, site, era) as client:
        yield client


@asynccontextmanager
async def connected_by(provider: httpx2.Auth, site: SignInSite, era: str) -> AsyncIterator[PythonClient]:
    async with (
        httpx2.AsyncClient(auth=provider, timeout=PATIENCE, trust_env=False) as web,
        mcp.Client(streamable_http_client(site.url, http_client=web), mode=_mode(era)) as session,
    ):
        yield PythonClient(session)
