"""The composition root of the HTTP process: the only place that knows all the parts."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import parent_process
from typing import Any

import httpx2
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from app.account.page import AccountPage
from app.audit.activity import AuditActivity
from app.audit.recording import breaker_changed, configured, open_recorder
from app.authentication import EmbeddedPrincipals, GatewayAuthenticator, UpstreamKeys
from app.connect.page import ConnectPage
from app.embedded import open_embedded
from app.guarded_fetch import open_fetch
from app.http.admission import Authenticate, McpRoute
from app.http.direct_api import DirectApi
from app.http.edge import edge
from app.http.file_links import Exports
from app.http.health import Health
from app.http.rate_limits import ConcurrencyLimit, RequestLimits
from app.http.well_known import metadata_routes, not_found, site_routes
from app.inprocess_transport import InProcessTransport, judge_inprocess
from app.internal_api.factory import InternalApi
from app.internal_api.http.api import mounted
from app.internal_api.training.worker import count_waiting
from app.key_checks import BoundedKeys
from app.limits.limiting import Limiting
from app.mail import open_mail
from app.metrics.families import Families
from app.metrics.metrics import Metrics
from app.metrics.sampling import Sampling
from app.metrics.scraping import Scraping
from app.metrics.tracing import open_tracer
from app.oauth_wiring import OAUTH_KEY, oauth_settings
from app.process.deferred_startup import DeferredStartup
from app.process.server import LAG
from app.process.shutdown import Drain, end_with
from app.revocations import connected
from app.settings import Settings
from app.storage.engine import open_engine
from app.storage.migrate import bring_up_to_date, upgrade
from mcp_server.factory import create_server
from mcp_server.minds_api.credentials import EmbeddedCredentials, OwnKey
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.replies import judge_reply
from mcp_server.observability import logging
from mcp_server.observability.events import ToolCalled
from mcp_server.observability.gc_tuning import freeze
from mcp_server.observability.tracing import Tracer
from mcp_server.protocol.http import McpEndpoint
from mcp_server.runtime import Runtime
from mcp_server.toolkit.files import FileStore
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolset import Toolset, discover, read_settings
from mcp_server.upstream.network import Network
from oauth.credentials import StoredKeys
from oauth.endpoints.pages import Pages
from oauth.factory import OAuth
from oauth.maintenance import Maintenance
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import AccountStore
from oauth.verifier import CredentialChecker


@dataclass(frozen=True)
class Parts:
    """What `create_app` may be handed instead of the product's own; the product hands nothing but `drain`.

    `authenticate` is another way in, `transport` the network towards the internal API. `sessions` are kept for
    2025-era clients. With `kernel_only` each `tools/call` passes the protocol library's kernel. `tracer` is told of
    spans, and `drain` is the end of the process.
    """

    toolsets: Sequence[Toolset] | None = None
    authenticate: Authenticate | None = None
    transport: httpx2.AsyncBaseTransport | None = None
    sessions: bool = False
    kernel_only: bool = False
    tracer: Tracer | None = None
    drain: Drain = field(default_factory=Drain)


class Composition:
    """The parts of one application, made cold; `create_app` connects them."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings, self.parts = settings, parts
        secret = shared_secret(settings.data_dir)
        self.metrics = Metrics(Families(counts=settings.metrics_enabled, shared=settings.prometheus_multiproc_dir))
        self.tracer = parts.tracer or open_tracer(settings, self.metrics)
        self.engine = open_engine(settings.database)
        self.recorder = open_recorder(settings, self.engine, "gateway")
        self.fetch = open_fetch(settings.fetch_allow_hosts)
        self.toolsets = list(parts.toolsets) if parts.toolsets is not None else discover(settings.toolsets)
        self.tools = {tool.name: tool for toolset in self.toolsets for tool in toolset.tools}
        self.scopes = {scope for toolset in self.toolsets for scope in toolset.scopes}
        self.limiting = Limiting(settings, self.tools, self.metrics)
        self.files = FileStore(settings.data_dir, lifetime=settings.export_link_seconds)

        self.embedded: InternalApi | None = None
        if settings.is_embedded:
            self.embedded = open_embedded(self.engine, EmbeddedPrincipals(secret), settings.fetch_allow_hosts, secret)
        has_panel = self.embedded.has_study if self.embedded is not None else None
        self.exports = Exports(self.files, secret, settings.site_url, has_panel)
        self.runtime = self._runtime(secret)
        self.stored_keys = StoredKeys(AccountStore(self.engine))
        self.oauth = self._oauth()
        account_url = "" if settings.is_embedded else settings.account_url
        own = GatewayAuthenticator(self.oauth.verifier, settings.resource, account_url)
        self.authenticate = parts.authenticate or own.caller
        limits = self.limiting.limits
        self.limits = None if limits is None else RequestLimits(limits, self.oauth.tokens.is_ours)
        self.concurrency = ConcurrencyLimit(settings.max_calls_at_once)

        self.server = create_server(self.runtime, self.toolsets, record=self._record, begin=self.recorder.tool_invoked)
        self.health = Health(
            self.engine, self.runtime, self.metrics, self.recorder, limiting=self.limiting, drain=parts.drain
        )
        waiting = partial(count_waiting, self.engine) if self.embedded is not None else None
        looks = self.oauth.verifier, self.recorder, self.health.store_answers
        self.sampling = Sampling(self.metrics, self.runtime, self.engine, *looks, waiting)
        more = settings.max_body_bytes, {} if parts.kernel_only else self.tools
        self.endpoint = McpEndpoint(self.server, self.runtime, *more, sessions=parts.sessions)

    @property
    def middleware(self) -> list[Middleware]:
        """What stands before every route, and the one of `/mcp`."""
        settings = self.settings
        bounds = self.limits, self.concurrency, self.metrics
        calls = self.endpoint, self.health.mcp, self.authenticate, self.tools
        mcp = Middleware(McpRoute, *calls, settings.max_body_bytes, *bounds)
        return [*edge(settings, self.metrics, self.recorder, self.oauth.pages, self.tracer, self.scopes), mcp]

    def _runtime(self, secret: SecretStr) -> Runtime:
        """What the tools work with. An embedded API is called in process, the real one over the network."""
        settings = self.settings
        inprocess = InProcessTransport(self.embedded.app) if self.embedded is not None else None
        network = self.parts.transport or inprocess or Network()
        return Runtime(
            settings,
            self.toolsets,
            api_url=settings.real_api or settings.own_url,
            credentials=EmbeddedCredentials(secret) if settings.is_embedded else OwnKey(settings.account_url),
            files=self.exports,
            transport=network,
            judge=judge_inprocess if network is inprocess else judge_reply,
            telemetry=self.metrics,
            breaker_changed=partial(breaker_changed, self.recorder),
            tracer=self.tracer,
            dialect=Dialect.CURRENT if settings.is_embedded else None,
            toolset_settings=read_settings(self.toolsets),
        )

    def _oauth(self) -> OAuth:
        """The authorization server; API keys are the embedded API's own, or those of the real one."""
        settings = self.settings
        upstream_keys = BoundedKeys(UpstreamKeys(self.runtime.api), self.limiting.limits)
        keys: CredentialChecker = self.stored_keys if settings.is_embedded else upstream_keys
        return OAuth(
            oauth_settings(settings, self.scopes),
            self.engine,
            Sealer(*settings.secrets(OAUTH_KEY)),
            keys,
            self.fetch,
            pages=Pages("app.account", "app.connect"),
            gate=self.limiting.gate,
            activity=AuditActivity(self.recorder, self.engine),
            mail=open_mail(settings),
            remembered_seconds=settings.cache_token,
        )

    def _record(self, event: ToolCalled) -> None:
        self.metrics.tool(event)
        self.recorder.tool_called(event)

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[dict[str, Any]]:
        """Migrate, then open from the database outwards; close in reverse."""
        oauth = self.oauth
        upkeep = Maintenance(self.stored_keys.note_uses, oauth.tokens.note_uses, chores=oauth.chores)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.engine.dispose)
            stack.push_async_callback(self.fetch.aclose)
            if self.tracer is not None:
                stack.push_async_callback(asyncio.to_thread, self.tracer.close)
            await upgrade(self.engine)
            revocations = connected(self.settings, self.engine, oauth.verifier.look)
            parts = self.limiting.running(), revocations, self.sampling.running(), self.recorder.running()
            for part in (*parts, upkeep.running(), self.files.sweeping()):
                await stack.enter_async_context(part)
            self.recorder.record(configured(self.settings))
            if self.embedded is not None:
                await stack.enter_async_context(self.embedded.web)
                await stack.enter_async_context(self.embedded.lifespan())
            await stack.enter_async_context(self.endpoint.run())
            yield {LAG: self.metrics.lag.observe}

    def routes(self) -> list[BaseRoute]:
        settings = self.settings
        return [
            Route("/livez", self.health.live),
            Route("/readyz", self.health.ready),
            Route("/metrics", Scraping(self.metrics.families, settings, self.sampling.look).answer),
            self.exports.route,
            *metadata_routes(settings.site_url, self.scopes),
            *site_routes(settings.site_url, settings.security_contact),
            *self.oauth.routes,
            *AccountPage(self.oauth, real_api=settings.real_api).routes,
            *ConnectPage(self.oauth, real_api=settings.real_api).routes,
            *([] if self.embedded is None else [self._direct_api(self.embedded)]),
        ]

    def _direct_api(self, embedded: InternalApi) -> Mount:
        authenticate = GatewayAuthenticator(self.oauth.verifier, self.settings.api_resource).caller
        return mounted(DirectApi(embedded.app, authenticate, self.recorder, self.limits, self.concurrency))


def create_app(settings: Settings, parts: Parts | None = None) -> Starlette:
    """The whole HTTP application. Nothing is opened until its lifespan begins."""
    composition = Composition(settings, parts or Parts())
    app = Starlette(
        routes=composition.routes(),
        middleware=composition.middleware,
        lifespan=composition.lifespan,
        exception_handlers={404: not_found(composition.oauth.pages, settings.resource)},
    )
    app.router.redirect_slashes = False  # `/mcp/` is not `/mcp`: a redirect would drop the body or the credential
    return app


def from_environment() -> ASGIApp:
    """What uvicorn calls in each worker, which is a process of its own: it logs as the first one does."""
    settings = Settings()
    logging.configure(debug=settings.debug, level=settings.log_level, form=settings.log_format)
    end_with(parent_process())
    drain = Drain(settings.shutdown_notice_seconds)
    app = create_app(settings, Parts(drain=drain))
    freeze()
    shown = settings.database.render_as_string(hide_password=True)
    return drain.around(DeferredStartup(app, partial(bring_up_to_date, settings.database), database=shown))
