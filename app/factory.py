"""The HTTP application: the routes and middlewares of its parts, and how it begins and ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from multiprocessing import parent_process
from pkgutil import resolve_name
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from app.account.page import account_routes
from app.audit.recording import configured
from app.authentication import GatewayAuthenticator
from app.composition import Composition, Parts
from app.connect.page import ConnectPage
from app.console.dev import WidgetHost
from app.console.home import HomePage
from app.console.personas import PersonaPages
from app.console.site import Console
from app.documentation.rendering import PREFIX
from app.documentation.site import OPEN_PATHS, DocumentationPages
from app.http.admission import McpRoute
from app.http.body import BodyMiddleware
from app.http.direct_api import Change, DirectApi
from app.http.error_status import ErrorStatus
from app.http.origin_policy import OriginPolicy, OriginRules
from app.http.refusals import ARTICLES_PATH, Refusals
from app.http.request_context import RequestContextMiddleware
from app.http.well_known import METADATA_PATH, metadata_routes, not_found, site_routes
from app.internal_api.http.api import mounted
from app.internal_api.store.studies import delete_owned
from app.process.deferred_startup import DeferredStartup
from app.process.server import LAG
from app.process.shutdown import Drain, end_with
from app.redis_shared import connected
from app.settings import Settings
from app.storage.migrate import bring_up_to_date, upgrade
from mcp_server.narrowing import Narrowing
from mcp_server.observability import logging
from mcp_server.observability.gc_tuning import freeze
from mcp_server.toolsets.docs.settings import DocsSettings
from oauth.maintenance import Maintenance


def middleware_of(parts: Composition) -> list[Middleware]:
    """What stands before every route, the outermost first, and the one of `/mcp`."""
    settings = parts.settings
    metadata = f"{settings.site_url}{METADATA_PATH}/mcp"
    refusals = Refusals(metadata, parts.oauth.pages, parts.scopes, settings.challenge_in_results)
    told, proxies = (parts.metrics, parts.recorder, parts.tracer), settings.trusted_proxies
    bounds = parts.limits, parts.concurrency, parts.metrics
    calls = parts.endpoint, parts.health.mcp, parts.authenticate, parts.tools
    return [
        Middleware(ErrorStatus, settings.http_error_status),
        Middleware(RequestContextMiddleware, refusals, *told, trusted_proxies=proxies, https=settings.is_production),
        Middleware(OriginPolicy, OriginRules.of(settings)),
        Middleware(BodyMiddleware, seconds=settings.body_seconds),
        Middleware(McpRoute, *calls, settings.max_body_bytes, *bounds, narrowing=Narrowing(parts.toolsets)),
    ]


@asynccontextmanager
async def lifespan_of(parts: Composition, _app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Migrate, then open from the database outwards; close in reverse."""
    oauth = parts.oauth
    upkeep = Maintenance(parts.stored_keys.note_uses, oauth.tokens.note_uses, chores=oauth.chores)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(parts.engine.dispose)
        stack.push_async_callback(parts.fetch.aclose)
        if parts.tracer is not None:
            stack.push_async_callback(asyncio.to_thread, parts.tracer.close)
        await upgrade(parts.engine)
        revocations = connected(parts.settings, parts.engine, oauth.verifier.look)
        running = parts.limiting.running(), revocations, parts.sampling.running(), parts.recorder.running()
        for part in (*running, upkeep.running(), parts.files.sweeping()):
            await stack.enter_async_context(part)
        parts.recorder.record(configured(parts.settings))
        if parts.embedded is not None:
            await stack.enter_async_context(parts.embedded.web)
            await stack.enter_async_context(parts.embedded.lifespan())
        await stack.enter_async_context(parts.endpoint.run())
        parts.parts.drain.ends += [parts.runtime.changes.end, parts.streams.end]
        yield {LAG: parts.metrics.lag.observe}


def shows_documentation(parts: Composition) -> bool:
    """Whether there are pages of the documentation."""
    return parts.settings.docs_public and any(one.settings is DocsSettings for one in parts.toolsets)


def routes_of(parts: Composition) -> list[BaseRoute]:
    settings = parts.settings
    console, live = parts.console()
    has_documentation = shows_documentation(parts)
    delete_data = None if parts.embedded is None else partial(delete_owned, parts.engine)
    return [
        Route("/livez", parts.health.live),
        Route("/readyz", parts.health.ready),
        Route("/metrics", partial(parts.sampling.answer, settings)),
        parts.exports.route,
        live.route,
        *metadata_routes(settings.site_url, parts.scopes),
        *site_routes(settings.site_url, settings.security_contact, OPEN_PATHS if has_documentation else ()),
        *(
            DocumentationPages(parts.oauth, parts.runtime, parts.limits, settings.site_url).routes
            if has_documentation
            else ()
        ),
        *parts.oauth.routes,
        *account_routes(parts.oauth, settings.real_api, delete_data),
        *ConnectPage(parts.oauth, real_api=settings.real_api).routes,
        *_console(parts, console, PREFIX if has_documentation else None),
        *_articles_api(parts),
        *([] if parts.embedded is None else [mounted(_direct_api(parts, parts.embedded.app))]),
    ]


def _direct_api(parts: Composition, api: ASGIApp, *change: Change) -> DirectApi:
    authenticate = GatewayAuthenticator(parts.oauth.verifier, parts.settings.api_resource).caller
    return DirectApi(api, authenticate, parts.recorder, parts.limits, parts.concurrency, *change)


def _console(parts: Composition, console: Console, documentation: str | None) -> list[BaseRoute]:
    """The product's own pages, of what is served; in development a host of the widgets, too."""
    development = parts.settings.debug and not parts.settings.is_production
    return [
        *HomePage(console, parts.tools, resource=parts.settings.resource, documentation=documentation).routes,
        *(PersonaPages(console).routes if "list_my_ai_personas" in parts.tools else ()),
        *(resolve_name("app.console.panels:PanelPages")(console).routes if "list_panels" in parts.tools else ()),
        *(WidgetHost(console, parts.toolsets, parts.settings.site_url).routes if development else ()),
    ]


def _articles_api(parts: Composition) -> list[BaseRoute]:
    """Where the knowledge base is served; before the embedded API, whose prefix it shares."""
    if all(toolset.name != "articles" for toolset in parts.toolsets):
        return []
    api = resolve_name("app.http.articles_api:ArticlesApi")(parts.engine, parts.settings)
    direct = _direct_api(parts, api, api.change)
    return [Route(f"{ARTICLES_PATH}{rest}", direct) for rest in ("", "/{rest:path}")]


def create_app(settings: Settings, parts: Parts | None = None) -> Starlette:
    """The whole HTTP application. Nothing is opened until its lifespan begins."""
    return connect(Composition(settings, parts or Parts()))


def connect(composition: Composition) -> Starlette:
    """One application of these parts."""
    documentation = PREFIX if shows_documentation(composition) else None
    nothing = not_found(composition.oauth, composition.settings.resource, documentation)
    app = Starlette(
        routes=routes_of(composition),
        middleware=middleware_of(composition),
        lifespan=partial(lifespan_of, composition),
        exception_handlers=dict.fromkeys((404, 405), nothing),
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
    prepare = partial(bring_up_to_date, settings.database)
    return drain.around(DeferredStartup(app, prepare, database=shown, without=McpRoute))
