"""`/docs`: the documentation folder as pages, its search, its Markdown, and `llms.txt` (llmstxt.org)."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from app.documentation.rendering import PREFIX, Renderer, link_to
from app.http.rate_limits import RequestLimits
from mcp_server.errors import NotFound
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.toolsets.docs.pages import Page
from mcp_server.toolsets.docs.service import DocsService
from oauth.endpoints.pages import POLICY, Pages

OPEN_PATHS = (PREFIX, "/llms.txt", "/llms-full.txt")
SCRIPT_PATH = f"{PREFIX}/-/search.js"
WITH_SCRIPT = f"{POLICY}; script-src 'self'; connect-src 'self'; form-action 'self'"
MARKDOWN = "text/markdown; charset=utf-8"
LONGEST_QUERY, MOST_RESULTS = 500, 10
FULL_BYTES = 20 * 1024 * 1024
CURATED = "llms.txt"
SUMMARY = "Documentation, as Markdown pages. Each link leads to the page's source."
_LINE = re.compile(r"[\r\n\[\]]+")


class DocumentationPages:
    """The service is the toolset's own, opened by the time that a request comes. `limits` counts searches."""

    def __init__(self, pages: Pages, runtime: Runtime, limits: RequestLimits | None, site_url: str) -> None:
        self._pages, self._runtime, self._limits, self._site = pages, runtime, limits, site_url
        self._renderer = Renderer()
        self._script = files("app.documentation").joinpath("pages", "search.js").read_text("utf-8")
        self.routes = [
            Route(PREFIX, self._index),
            Route(f"{PREFIX}/search", self._search),
            Route(SCRIPT_PATH, self._search_script),
            Route(f"{PREFIX}/{{path:path}}", self._page),
            Route("/llms.txt", self._llms),
            Route("/llms-full.txt", self._llms_full),
        ]

    @property
    def _docs(self) -> DocsService:
        service: DocsService = self._runtime.services[DocsService]
        return service

    async def _index(self, _request: Request) -> Response:
        return self._shown("documentation_list.html", groups=await self._groups(), query="", results=None)

    async def _search(self, request: Request) -> Response:
        query = request.query_params.get("q", "").strip()[:LONGEST_QUERY]
        if self._limits is not None:
            await self._limits.charge(current_context.get())
        results = (await self._docs.find(query, MOST_RESULTS)).results if query else []
        found = [
            {
                "title": one.title,
                "heading": one.heading,
                "snippet": " ".join(one.snippet.split()),
                "url": link_to(one.path, one.anchor or ""),
            }
            for one in results
        ]
        if request.query_params.get("format") == "json":
            return JSONResponse({"query": query, "results": found}, headers={"cache-control": "no-store"})
        return self._shown("documentation_list.html", groups=[], query=query, results=found)

    async def _search_script(self, _request: Request) -> Response:
        return Response(self._script, media_type="text/javascript", headers={"cache-control": "public, max-age=3600"})

    async def _page(self, request: Request) -> Response:
        path = request.path_params["path"].rstrip("/")
        try:
            page = await self._found(path)
        except NotFound as missing:
            near = [{"path": one, "url": link_to(one)} for one in missing.details["suggestions"]]
            return self._shown("documentation_missing.html", 404, near=near)
        content = await self._docs.content(page)
        if path == page.path or "text/markdown" in request.headers.get("accept", ""):
            return Response(content, media_type=MARKDOWN)
        html = await asyncio.to_thread(self._renderer.html, page.path, content, page.sections)
        return self._shown("documentation_page.html", page=page, content=html, source=f"{PREFIX}/{page.path}")

    async def _found(self, path: str) -> Page:
        """The page, or the index of the folder of that name. Raises `NotFound`."""
        try:
            return await self._docs.find_page(path)
        except NotFound:
            pages = await self._docs.pages()
            index = next((f"{path}/{name}" for name in ("index.md", "README.md") if f"{path}/{name}" in pages), None)
            if index is None:
                raise
            return pages[index]

    async def _llms(self, _request: Request) -> Response:
        pages = await self._docs.pages()
        curated = next((page for path, page in pages.items() if path in {CURATED, f"{CURATED}.md"}), None)
        if curated is not None:
            return PlainTextResponse(await self._docs.content(curated))
        lines = ["# Documentation", "", f"> {SUMMARY}"]
        for group in await self._groups():
            lines += ["", f"## {_LINE.sub(' ', group['name'])}", ""]
            lines += [
                f"- [{_LINE.sub(' ', one['title'])}]({self._site}{PREFIX}/{one['path']})" for one in group["pages"]
            ]
        return PlainTextResponse("\n".join([*lines, ""]))

    async def _llms_full(self, _request: Request) -> Response:
        return StreamingResponse(self._everything(), media_type="text/plain; charset=utf-8")

    async def _everything(self) -> AsyncIterator[str]:
        left = FULL_BYTES
        for page in (await self._docs.pages()).values():
            text = f"# {page.title}\n\nSource: {self._docs.url_of(page)}\n\n{await self._docs.content(page)}\n\n"
            left -= len(text.encode())
            if left < 0:
                yield "The rest is too long for one file: see /llms.txt\n"
                return
            yield text

    async def _groups(self) -> list[dict[str, Any]]:
        """The pages by category, in the order of the sidebar."""
        pages, groups = await self._docs.pages(), dict[str, list[Mapping[str, str]]]()
        for path, category in (await self._docs.categories()).items():
            about = {"path": path, "title": pages[path].title, "url": link_to(path)}
            groups.setdefault(category, []).append(about)
        only = len(groups) == 1
        return [{"name": "Pages" if only else name, "pages": listed} for name, listed in groups.items()]

    def _shown(self, template: str, status: int = 200, **values: Any) -> Response:
        values |= {"script": SCRIPT_PATH, "prefix": PREFIX}
        return self._pages.render(template, status, headers={"content-security-policy": WITH_SCRIPT}, **values)
