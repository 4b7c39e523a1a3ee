"""The composition root of the HTTP process: the only place that knows all the parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pkgutil import resolve_name

import httpx2
from pydantic import SecretStr

from app.audit.activity import AuditActivity
from app.audit.recording import breaker_changed, open_recorder
from app.authentication import EmbeddedPrincipals, GatewayAuthenticator, UpstreamKeys
from app.console.calls import CLIENT_ID, ToolCalls
from app.console.live import Streams, WidgetLive
from app.console.site import Console
from app.embedded import InProcessTransport, judge_inprocess, open_embedded
from app.http.admission import Authenticate
from app.http.file_links import Exports
from app.http.health import Health
from app.http.rate_limits import ConcurrencyLimit, RequestLimits
from app.internal_api.factory import InternalApi
from app.internal_api.training.worker import count_waiting
from app.key_checks import BoundedKeys
from app.limits.limiting import Limiting
from app.metrics.families import Families
from app.metrics.metrics import Metrics
from app.metrics.sampling import Sampling
from app.oauth_outgoing import open_fetch, open_mail
from app.oauth_wiring import OAUTH_KEY, oauth_settings
from app.process.shutdown import Drain
from app.redis_shared import open_lists
from app.settings import Settings
from app.settings.operations import TelemetrySettings
from app.storage.engine import open_engine
from mcp_server.factory import create_server
from mcp_server.minds_api.credentials import EmbeddedCredentials, OwnKey
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.replies import judge_reply
from mcp_server.observability.events import ToolCalled
from mcp_server.observability.tracing import Tracer
from mcp_server.protocol.http import McpEndpoint
from mcp_server.runtime import Runtime
from mcp_server.toolkit.files import FileStore
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolset import Toolset, configured_toolsets, read_settings
from mcp_server.upstream.network import Network
from oauth.credentials import StoredKeys
from oauth.endpoints.pages import Pages
from oauth.factory import OAuth
from oauth.flows.consent import ConnectedApps
from oauth.primitives.clock import utc_now
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
    """The parts of one application, made cold; `app.factory` connects them."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings, self.parts = settings, parts
        secret = shared_secret(settings.data_dir)
        self.metrics = Metrics(Families(counts=settings.metrics_enabled, shared=settings.prometheus_multiproc_dir))
        self.tracer = parts.tracer or open_tracer(settings, self.metrics)
        self.engine = open_engine(settings.database)
        self.recorder = open_recorder(settings, self.engine, "gateway")
        self.fetch = open_fetch(settings.fetch_allow_hosts)
        given = parts.toolsets
        served = configured_toolsets(settings) if given is None else (list(given), read_settings(given))
        self.toolsets, self.toolset_settings = served
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
        self.stored_keys, self.streams = StoredKeys(AccountStore(self.engine)), Streams()
        self.oauth = self._oauth()
        account_url = "" if settings.is_embedded else settings.account_url
        own = GatewayAuthenticator(self.oauth.verifier, settings.resource, account_url)
        self.authenticate = parts.authenticate or own.caller
        limits = self.limiting.limits
        self.limits = None if limits is None else RequestLimits(limits, self.oauth.tokens.is_ours)
        self.concurrency = ConcurrencyLimit(settings.max_calls_at_once)

        self.server = create_server(self.runtime, self.toolsets, record=self._record, begin=self.recorder.tool_invoked)
        looked_at = self.engine, self.runtime, self.metrics, self.recorder
        personas = None if self.embedded is None else self.embedded.services.persona_engine
        self.health = Health(*looked_at, limiting=self.limiting, drain=parts.drain, personas=personas)
        waiting = partial(count_waiting, self.engine) if self.embedded is not None else None
        looks = self.oauth.verifier, self.recorder, self.health.store_answers
        self.sampling = Sampling(self.metrics, self.runtime, self.engine, *looks, waiting)
        more = settings.max_body_bytes, {} if parts.kernel_only else self.tools
        self.endpoint = McpEndpoint(self.server, self.runtime, *more, sessions=parts.sessions)

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
            toolset_settings=self.toolset_settings,
            site_url=settings.site_url,
            database=self.engine,
            lists=open_lists(settings),
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
            pages=Pages("app.account", "app.connect", "app.console", "app.documentation"),
            gate=self.limiting.gate,
            activity=AuditActivity(self.recorder, self.engine),
            mail=open_mail(settings),
            remembered_seconds=settings.cache_token,
        )

    def console(self) -> tuple[Console, WidgetLive]:
        """The pages on which a signed-in person uses the tools, and what widgets watch."""
        settings, oauth = self.settings, self.oauth

        async def linked_key(user_id: str) -> SecretStr | None:
            return await oauth.links.key_of(user_id, utc_now())

        real = ("", None) if settings.is_embedded else (settings.account_url, linked_key)
        calls = ToolCalls(self.server, self.runtime, self.limits, self.concurrency, frozenset(self.scopes), *real)
        apps = ConnectedApps(oauth.stores)

        async def holds(user_id: str, client_id: str) -> bool:
            now = utc_now()
            if not await oauth.stores.accounts.is_enabled(user_id):
                return False
            keys = await oauth.stores.accounts.list_keys(user_id)
            held = {CLIENT_ID, *(owned.key.id for owned in keys if owned.state(now) == "active")}
            return client_id in held or client_id in {app.client_id for app in await apps.list_apps(user_id, now)}

        given = shared_secret(settings.data_dir), settings.site_url, calls, self.tools
        live = WidgetLive(*given, holds, self.streams, seconds=settings.cache_widget_token)
        self.runtime.live = live.token
        return Console(oauth, calls, self.streams, max_body=settings.max_body_bytes), live

    def _record(self, event: ToolCalled) -> None:
        self.metrics.tool(event)
        self.recorder.tool_called(event)


def open_tracer(settings: TelemetrySettings, metrics: Metrics) -> Tracer | None:
    """What makes spans takes memory and start time, and is loaded only where a collector is set."""
    if settings.otel_exporter_otlp_endpoint is None or settings.otel_sdk_disabled:
        return None
    tracer: Tracer = resolve_name("app.metrics.otlp:OtlpTracer")(settings, metrics.exported)
    return tracer
