"""The composition root of the HTTP process: the only place that knows all the parts."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import parent_process
from typing import Any

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from app.account.page import AccountPage
from app.audit.activity import AuditActivity
from app.audit.middleware import breaker_changed, configured
from app.audit.opening import open_recorder
from app.authentication import EmbeddedPrincipals, GatewayAuthenticator, UpstreamKeys
from app.connect.page import ConnectPage
from app.embedded import Embedded, open_embedded
from app.guarded_fetch import open_fetch
from app.http.caller import Authenticator
from app.http.concurrency_limit import AtOnce
from app.http.direct_api import OutsideMiddleware
from app.http.discovery import discovery_routes
from app.http.edge import edge
from app.http.file_links import Exports, Signer
from app.http.health import Health
from app.http.mcp_route import McpRoute
from app.http.rate_limit import Guesses
from app.http.well_known import hygiene_routes
from app.inprocess_transport import OwnWay
from app.key_checks import BoundedKeys
from app.limits.opening import Limiting
from app.metrics.authentication import CountedAuthenticator
from app.metrics.families import Families
from app.metrics.metrics import Metrics
from app.metrics.sampling import Sampling, audit_look, pool_look, protection_look, verifier_look
from app.metrics.scraping import Scraping
from app.metrics.tracing import ExportingTracer, closing, open_tracer
from app.oauth_wiring import LinkedAccounts, gatehouse
from app.process.deferred_startup import Opening
from app.process.server import LAG
from app.process.shutdown import Drain, end_with
from app.settings import Settings
from app.storage.engine import open_engine
from app.storage.migrate import bring_up_to_date, upgrade
from app.upstream_config import account_url, api_url, credentials, mcp_settings
from mcp_server.audit.calls import CallTrail
from mcp_server.factory import create_server
from mcp_server.minds_api.dialect import Dialect
from mcp_server.observability import logging
from mcp_server.observability.events import ToolCalled
from mcp_server.observability.gc_tuning import freeze
from mcp_server.protocol.http import McpEndpoint
from mcp_server.runtime import Runtime, open_network
from mcp_server.toolkit.file_store import Shelf
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolset import Toolset, discover
from oauth.credentials import StoredKeys
from oauth.maintenance import Maintenance
from oauth.stores.accounts import AccountStore
from oauth.verifier import CredentialChecker


@dataclass(frozen=True)
class Parts:
    """What `create_app` may be handed instead of the product's own; the product hands nothing.

    Attributes:
        toolsets: other tools, as the conformance fixtures are.
        authenticator: another way in.
        transport: the network between the gateway and the internal API.
        sessions: keep sessions for 2025-era clients.
        tracer: who is told of spans.
        drain: the end of the process; an application in a process of somebody else's has none.

    """

    toolsets: Sequence[Toolset] | None = None
    authenticator: Authenticator | None = None
    transport: httpx2.AsyncBaseTransport | None = None
    sessions: bool = False
    tracer: ExportingTracer | None = None
    drain: Drain = field(default_factory=Drain)


class Composition:
    """The parts of one application, made cold; `create_app` connects them."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings, self.drain = settings, parts.drain
        self.metrics = Metrics(Families(counts=settings.metrics_enabled, shared=settings.prometheus_multiproc_dir))
        self.tracer = parts.tracer or open_tracer(settings, self.metrics)
        self.engine: AsyncEngine = open_engine(settings.database)
        self.recorder = open_recorder(settings, self.engine, "gateway")
        self.toolsets = list(parts.toolsets) if parts.toolsets is not None else discover(settings.toolsets)
        self.tools = {tool.name: tool for toolset in self.toolsets for tool in toolset.tools}
        secret = shared_secret(settings.data_dir)
        self.shelf = Shelf(settings.data_dir, lifetime=settings.export_link_seconds)
        self.exports = Exports(self.shelf, Signer(secret), settings.site_url)
        self.limiting = Limiting(settings, self.tools, self.metrics)
        self.runtime = self._runtime(parts, secret)
        self.stored_keys = StoredKeys(AccountStore(self.engine))
        self.calls = CallTrail(self.recorder, every_invoke=settings.audit_every_invoke)
        self.fetch = open_fetch(settings.fetch_allow_hosts)
        checked = BoundedKeys(UpstreamKeys(self.runtime.api), self.limiting.limits)
        keys: CredentialChecker = self.stored_keys if settings.is_embedded else checked
        self.scopes = {scope for tool in self.tools.values() for scope in tool.scopes}
        activity = AuditActivity(self.recorder, self.engine)
        self.oauth = gatehouse(settings, self.engine, self.scopes, keys, self.fetch, self.limiting.gate, activity)
        linked = None if settings.is_embedded else LinkedAccounts(self.oauth.links, account_url(settings))
        own_authenticator = GatewayAuthenticator(self.oauth.verifier, settings.resource, linked)
        self.authenticator = CountedAuthenticator(parts.authenticator or own_authenticator, self.metrics)
        self.server = create_server(self.runtime, self.toolsets, record=self._record, begin=self.calls.begun)
        self.endpoint = McpEndpoint(
            self.server, self.runtime, max_body=settings.max_body_bytes, sessions=parts.sessions
        )
        self.health = Health(
            self.engine, self.runtime.api, self.metrics, self.recorder, limiting=self.limiting, drain=self.drain
        )
        limits = self.limiting.limits
        self.guesses = None if limits is None else Guesses(limits, self.oauth.tokens.is_ours)
        self.at_once = AtOnce(settings.max_calls_at_once)
        self.embedded = self._embedded(secret) if settings.is_embedded else None
        self.sampling = self._sampling()

    def _runtime(self, parts: Parts, secret: SecretStr) -> Runtime:
        settings, way = self.settings, mcp_settings(self.settings)
        network = parts.transport or open_network(way)
        self.own_way = OwnWay(network, self.drain)
        return Runtime(
            way,
            self.toolsets,
            api_url=api_url(settings),
            credentials=credentials(settings, secret),
            files=self.exports,
            transport=self.own_way if settings.is_embedded else network,
            telemetry=self.metrics,
            breaker_changed=partial(breaker_changed, self.recorder),
            tracer=self.tracer,
            dialect=Dialect.CURRENT if settings.is_embedded else None,
        )

    def _embedded(self, secret: SecretStr) -> Embedded:
        settings = self.settings
        principals = EmbeddedPrincipals(self.oauth.verifier, secret, settings.api_resource)
        outside = partial(
            OutsideMiddleware, principals=principals, recorder=self.recorder, guesses=self.guesses, at_once=self.at_once
        )
        return open_embedded(self.engine, principals, settings.fetch_allow_hosts, secret, around=outside)

    def _record(self, event: ToolCalled) -> None:
        self.metrics.tool(event)
        self.calls.ended(event)

    def _sampling(self) -> Sampling:
        looks = [
            protection_look(self.metrics, self.runtime.api),
            pool_look(self.metrics, self.engine),
            verifier_look(self.metrics, self.oauth.verifier),
            audit_look(self.metrics, self.recorder),
        ]
        return Sampling(self.metrics, looks, self.embedded.waiting if self.embedded is not None else None)

    def _upkeep(self) -> Maintenance:
        oauth = self.oauth
        return Maintenance(
            oauth.verifier,
            self.stored_keys,
            oauth.tokens,
            rings=[oauth.keys],
            chores=oauth.chores,
        )

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[dict[str, Any]]:
        """Migrate, then open from the database outwards; close in reverse."""
        self.own_way.lead_to(app)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.engine.dispose)
            stack.push_async_callback(self.fetch.aclose)
            await stack.enter_async_context(closing(self.tracer))
            await upgrade(self.engine)
            await stack.enter_async_context(self.limiting.running())
            await stack.enter_async_context(self.sampling.running())
            await stack.enter_async_context(self.recorder.running())
            self.recorder.record(configured(self.settings))
            await stack.enter_async_context(self._upkeep().running())
            await stack.enter_async_context(self.shelf.kept_tidy())
            if self.embedded is not None:
                await stack.enter_async_context(self.embedded.running())
            await stack.enter_async_context(self.endpoint.run())
            yield {LAG: self.metrics.lag}

    def routes(self) -> list[BaseRoute]:
        mcp = McpRoute(
            self.endpoint,
            self.health.mcp,
            authenticator=self.authenticator,
            tools=self.tools,
            max_body=self.settings.max_body_bytes,
            limits=self.limiting.limits,
            guesses=self.guesses,
            at_once=self.at_once,
        )
        return [
            Route("/mcp", mcp),
            Route("/livez", self.health.live),
            Route("/readyz", self.health.ready),
            Route("/metrics", Scraping(self.metrics.families, self.settings.metrics_token, self.sampling.look).answer),
            self.exports.route,
            *discovery_routes(self.settings.site_url, self.scopes),
            *hygiene_routes(self.settings.site_url, self.settings.security_contact),
            *self.oauth.routes,
            *AccountPage(self.oauth, real_api=self.settings.real_api).routes,
            *ConnectPage(self.oauth, real_api=self.settings.real_api).routes,
            *(self.embedded.routes if self.embedded is not None else []),
        ]

    def middleware(self) -> list[Middleware]:
        return edge(self.settings, self.metrics, self.recorder, self.oauth.pages, self.tracer)


def create_app(settings: Settings, parts: Parts | None = None) -> Starlette:
    """The whole HTTP application. Nothing is opened until its lifespan begins."""
    composition = Composition(settings, parts or Parts())
    app = Starlette(
        routes=composition.routes(),
        middleware=composition.middleware(),
        lifespan=composition.lifespan,
    )
    app.router.redirect_slashes = False  # `/mcp/` is not `/mcp`: a redirect would drop the body or the credential
    return app


def from_environment() -> ASGIApp:
    """What uvicorn calls in each worker, which is a process of its own: it logs as the first one does."""
    settings = Settings()
    logging.configure(debug=settings.debug, level=settings.log_level)
    end_with(parent_process())
    drain = Drain(settings.shutdown_notice_seconds, has_others=parent_process() is not None)
    app = create_app(settings, Parts(drain=drain))
    freeze()
    return drain.around(Opening(app, partial(bring_up_to_date, settings.database)))
