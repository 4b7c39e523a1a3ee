"""The composition root of the HTTP process: the only place that knows all the parts."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from multiprocessing import parent_process

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.account.page import PATH as ACCOUNT_PATH
from app.account.page import AccountPage
from app.authentication import EmbeddedPrincipals, GatewayAuthenticator, UpstreamKeys
from app.connect.page import ConnectPage
from app.database import open_engine
from app.discovery import discovery_routes
from app.edge import edge
from app.embedded import Embedded, open_embedded
from app.exports import Exports, Signer
from app.fetching import open_fetch
from app.gatehouse import LinkedAccounts, gatehouse
from app.health import Health
from app.mcp_route import McpRoute
from app.memory import settle
from app.metrics import Metrics, exposition, may_scrape
from app.middleware.caller import Authenticator
from app.migrations import upgrade
from app.secret_file import shared_secret
from app.settings import Settings
from app.supervision import end_with
from mcp_server import logging
from mcp_server.audit import tool_called
from mcp_server.credentials import Credentials, EmbeddedCredentials, OwnKey
from mcp_server.dialect import Dialect
from mcp_server.events import ToolCalled
from mcp_server.factory import create_server
from mcp_server.http import McpEndpoint
from mcp_server.runtime import Runtime
from mcp_server.settings import McpSettings
from mcp_server.shelf import Shelf
from mcp_server.toolset import Toolset, discover
from oauth.authority import StoredKeys
from oauth.stores.sql import SqlStore
from oauth.upkeep import Upkeep
from oauth.verifier import Authority


@dataclass(frozen=True)
class Parts:
    """What `create_app` may be handed instead of the product's own; the product hands nothing.

    Attributes:
        toolsets: other tools, as the conformance fixtures are.
        authenticator: another way in.
        transport: the network between the gateway and the internal API.
        sessions: keep sessions for 2025-era clients.

    """

    toolsets: Sequence[Toolset] | None = None
    authenticator: Authenticator | None = None
    transport: httpx2.AsyncBaseTransport | None = None
    sessions: bool = False


class Composition:
    """The parts of one application, made cold; `create_app` connects them."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.engine: AsyncEngine = open_engine(settings.database)
        self.toolsets = list(parts.toolsets) if parts.toolsets is not None else discover(settings.toolsets)
        self.tools = {tool.name: tool for toolset in self.toolsets for tool in toolset.tools}
        secret = shared_secret(settings.data_dir)
        self.shelf = Shelf(settings.data_dir, lifetime=settings.export_link_seconds)
        self.exports = Exports(self.shelf, Signer(secret), settings.site_url)
        self.runtime = Runtime(
            mcp_settings(settings),
            self.toolsets,
            api_url=api_url(settings),
            credentials=_credentials(settings, secret),
            files=self.exports,
            transport=parts.transport,
            observe=self.metrics.upstream,
            dialect=Dialect.CURRENT if settings.is_embedded else None,
        )
        self.stored_keys = StoredKeys(SqlStore(self.engine))
        self.fetch = open_fetch(settings.fetch_allow_hosts)
        keys: Authority = self.stored_keys if settings.is_embedded else UpstreamKeys(self.runtime.api)
        self.scopes = {scope for tool in self.tools.values() for scope in tool.scopes}
        self.oauth = gatehouse(settings, self.engine, self.scopes, keys, self.fetch)
        linked = None if settings.is_embedded else LinkedAccounts(self.oauth.links, account_url(settings))
        own_authenticator = GatewayAuthenticator(self.oauth.verifier, settings.resource, linked)
        self.authenticator = parts.authenticator or own_authenticator
        self.server = create_server(self.runtime, self.toolsets, record=self._record)
        self.endpoint = McpEndpoint(
            self.server, self.runtime, max_body=settings.max_body_bytes, sessions=parts.sessions
        )
        self.health = Health(self.engine, self.runtime.api, self.metrics)
        self.embedded: Embedded | None = None
        if settings.is_embedded:
            principals = EmbeddedPrincipals(self.oauth.verifier, secret, settings.api_resource)
            self.embedded = open_embedded(self.engine, principals, settings.fetch_allow_hosts, secret)

    def _record(self, event: ToolCalled) -> None:
        self.metrics.tool(event)
        tool_called(event)
        if event.subject is not None:
            self.oauth.activity.note(event.subject, f"tool:{event.tool}", event.client_id, event.code or "ok")

    def _upkeep(self) -> Upkeep:
        oauth = self.oauth
        return Upkeep(
            oauth.verifier,
            self.stored_keys,
            oauth.tokens,
            rings=[oauth.keys],
            chores=oauth.chores,
            writes=[oauth.activity.write],
        )

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Migrate, then open from the database outwards; close in reverse."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.engine.dispose)
            stack.push_async_callback(self.fetch.aclose)
            await upgrade(self.engine)
            await stack.enter_async_context(self._upkeep().running())
            await stack.enter_async_context(self.shelf.kept_tidy())
            if self.embedded is not None:
                await stack.enter_async_context(self.embedded.running())
            await stack.enter_async_context(self.endpoint.run())
            yield

    def routes(self) -> list[BaseRoute]:
        mcp = McpRoute(
            self.endpoint,
            self.health.mcp,
            authenticator=self.authenticator,
            tools=self.tools,
            max_body=self.settings.max_body_bytes,
        )
        return [
            Route("/mcp", mcp),
            Route("/livez", self.health.live),
            Route("/readyz", self.health.ready),
            Route("/metrics", self._metrics),
            self.exports.route,
            *discovery_routes(self.settings.site_url, self.scopes),
            *self.oauth.routes,
            *AccountPage(self.oauth, real_api=self.settings.real_api).routes,
            *ConnectPage(self.oauth, real_api=self.settings.real_api).routes,
            *(self.embedded.routes if self.embedded is not None else []),
        ]

    async def _metrics(self, request: Request) -> Response:
        if not may_scrape(request, self.settings.metrics_token):
            return Response(status_code=403)
        breakers = self.runtime.api.breakers.values()
        return exposition(self.metrics.text({breaker.name: breaker.state for breaker in breakers}))


def create_app(settings: Settings, parts: Parts | None = None) -> Starlette:
    """The whole HTTP application. Nothing is opened until its lifespan begins."""
    composition = Composition(settings, parts or Parts())
    app = Starlette(
        routes=composition.routes(),
        middleware=edge(settings, composition.metrics.request, composition.oauth.pages),
        lifespan=composition.lifespan,
    )
    app.router.redirect_slashes = False  # `/mcp/` is not `/mcp`: a redirect would drop the body or the credential
    return app


def from_environment() -> Starlette:
    """What uvicorn calls in each worker, which is a process of its own: it logs as the first one does."""
    settings = Settings()
    logging.configure(debug=settings.debug)
    end_with(parent_process())
    app = create_app(settings)
    settle()
    return app


def mcp_settings(settings: Settings) -> McpSettings:
    """The tools' half of `settings`."""
    shared = set(McpSettings.model_fields) & set(Settings.model_fields)
    return McpSettings(**settings.model_dump(include=shared))


def api_url(settings: Settings) -> str:
    """Where the internal API is: in embedded mode this very process, at the address that it listens on."""
    return settings.own_url if settings.is_embedded else settings.mindsai_api_url


def account_url(settings: Settings) -> str:
    """The page on which people link a key of the real API."""
    return f"{settings.site_url}{ACCOUNT_PATH}"


def _credentials(settings: Settings, secret: SecretStr) -> Credentials:
    return EmbeddedCredentials(secret) if settings.is_embedded else OwnKey(account_url(settings))
