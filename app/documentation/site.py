"""`/docs`: the documentation folder as pages, its search, its Markdown, and `llms.txt` (llmstxt.org)."""

import asyncio
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from app.documentation import llms
from app.documentation.rendering import PREFIX, Renderer, link_to
from app.http.rate_limits import RequestLimits
from mcp_server.errors import NotFound
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.toolsets.docs.index import SUFFIXES
from mcp_server.toolsets.docs.models import SearchResult
from mcp_server.toolsets.docs.pages import Page
from mcp_server.toolsets.docs.service import DocsService
from mcp_server.toolsets.docs.settings import DocsSettings
from oauth.endpoints.pages import POLICY, asset_route
from oauth.factory import OAuth
from oauth.primitives.clock import utc_now

OPEN_PATHS = (PREFIX, "/llms.txt", "/llms-full.txt")
SEARCH = "search"
SCRIPT_PATH = f"{PREFIX}/-/search.js"
MARKDOWN = "text/markdown"
LONGEST_QUERY = 500
HEADERS = {
    "content-security-policy": f"{POLICY}; script-src 'self'; connect-src 'self'; form-action 'self'",
    "vary": "Accept",
}


class DocumentationPages:
    """The service is the toolset's own, opened by the time that a request comes.

    `limits` counts what takes long: searches, unknown pages, and the lists for models.
    """

    def __init__(self, oauth: OAuth, runtime: Runtime, limits: RequestLimits | None, site_url: str) -> None:
        self._oauth, self._runtime, self._limits, self._site = oauth, runtime, limits, site_url
        self._renderer, self._turn = Renderer(), asyncio.Lock()
        self.routes = [
            Route(PREFIX, self._index),
            asset_route(SCRIPT_PATH, "text/javascript", files("app.documentation") / "pages" / "search.js"),
            Route(f"{PREFIX}/{{path:path}}", self._any),
            Route("/llms.txt", self._llms),
            Route("/llms-full.txt", self._llms_full),
        ]

    @property
    def _docs(self) -> DocsService:
        service: DocsService = self._runtime.services[DocsService]
        return service

    async def _index(self, request: Request) -> Response:
        listing = await self._docs.listing(None)
        groups = [(group.name, await self._links(group.pages)) for group in listing.categories]
        more = listing.total - sum(len(links) for _, links in groups)
        return await self._shown(request, "documentation_list.html", groups=groups, more=more)

    async def _any(self, request: Request) -> Response:
        """What stands at that path: Markdown as it is, a page, the search, or nothing."""
        path = request.path_params["path"].strip("/")
        page = found(await self._docs.pages(), path)
        if path == SEARCH and (page is None or "q" in request.query_params):  # a page may have that name, too
            return await self._search(request)
        if page is None:
            return await self._missing(request, path)
        content = await self._docs.content(page)
        if path == page.path or MARKDOWN in request.headers.get("accept", ""):
            return Response(content, media_type=MARKDOWN, headers={"vary": "Accept"})
        return await self._shown(
            request,
            "documentation_page.html",
            page=page,
            content=await self._html(page, content),
            has_title=any(section.level == 1 for section in page.sections),
            source=f"{PREFIX}/{quote(page.path)}",
        )

    async def _html(self, page: Page, content: str) -> str:
        anchors = {section.line_start: section.anchor for section in page.sections}
        version, body = (page.path, page.mtime, page.size), llms.without_front_matter(content)
        async with self._turn:  # one at a time, however many ask
            return await asyncio.to_thread(self._renderer.html, version, body, anchors)

    async def _search(self, request: Request) -> Response:
        await self._charge()
        query = request.query_params.get("q", "").strip()[:LONGEST_QUERY]
        outcome = await self._docs.find(query, None) if query else None
        results = [_result(one) for one in outcome.results] if outcome is not None else []
        if request.query_params.get("format") == "json":
            return JSONResponse({"query": query, "results": results}, headers={"cache-control": "no-store"})
        return await self._shown(request, "documentation_list.html", query=query, results=results if query else None)

    async def _missing(self, request: Request, path: str) -> Response:
        await self._charge()
        try:
            near = [(await self._docs.find_page(path)).path]
        except NotFound as missing:
            near = list(missing.details["suggestions"])
        if path.endswith(SUFFIXES):  # a program followed a link
            lines = ["There is no such page.", *(f"{self._site}{PREFIX}/{quote(one)}" for one in near), ""]
            return PlainTextResponse("\n".join(lines), 404)
        return await self._shown(request, "documentation_missing.html", 404, near=await self._links(near))

    async def _links(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        """Address and title of each."""
        pages = await self._docs.pages()
        return [(link_to(path), pages[path].title) for path in paths if path in pages]

    async def _llms(self, _request: Request) -> Response:
        await self._charge()
        pages, root = await self._docs.pages(), self._runtime.settings_of(DocsSettings).root
        text = await asyncio.to_thread(llms.curated, root, pages, self._site)
        return PlainTextResponse(await llms.overview(self._docs, self._site) if text is None else text)

    async def _llms_full(self, _request: Request) -> Response:
        await self._charge()
        await self._docs.pages()  # what is wrong with the folder is told before the answer begins
        return StreamingResponse(llms.everything(self._docs, self._site), media_type="text/plain")

    async def _charge(self) -> None:
        if self._limits is not None:
            await self._limits.charge(current_context.get())

    async def _shown(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        found = await self._oauth.signed_in.of(request, utc_now())
        unset = {"search_script": SCRIPT_PATH, "prefix": PREFIX, "query": "", "results": None, "groups": (), "more": 0}
        viewer = None if found is None else found.shown
        return self._oauth.pages.render(template, status, headers=HEADERS, viewer=viewer, **{**unset, **values})


def found(pages: Mapping[str, Page], path: str) -> Page | None:
    """The page of a file, of its name without the suffix, or of a folder that has one."""
    names = (path, *(f"{path}{suffix}" for suffix in SUFFIXES), *(f"{path}/{home}" for home in llms.HOMES))
    return next((pages[name] for name in names if name in pages), None)


def _result(one: SearchResult) -> dict[str, Any]:
    about = one.model_dump(by_alias=True)
    return {**about, "snippet": " ".join(one.snippet.split()), "url": link_to(one.path, one.anchor or "")}
