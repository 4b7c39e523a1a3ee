"""Search, pages and lists of the documentation folder, brought up to date while it is used."""

import asyncio
import posixpath
import re
import time
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import quote

import structlog
from rapidfuzz import fuzz, process

from mcp_server.errors import NotFound, ServiceUnavailable, ToolFailure
from mcp_server.search.index import Hit
from mcp_server.toolkit.sources import Document, Found
from mcp_server.toolsets.docs.index import DocsIndex
from mcp_server.toolsets.docs.models import DocCategory, DocPage, DocPages, SearchResult, SearchResults
from mcp_server.toolsets.docs.pages import Page, Section, text_of

LOOK_SECONDS = 2.0
"""How long the folder is taken to be as it was."""

SHARE = 20
"""A look that took long is not taken again before so many times as long."""

LONGEST_CONTENT = 100_000
MOST_LISTED = 1_000
SUGGESTED = 3
ALIKE = 60

_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^\s()<>]+)>?[^)]*\)")
_MARKER = re.compile(r"^\s*(?:#{1,6}|[-*+]|\d+[.)])\s+")
SIDEBAR = "sidebar.md"
OTHER = "Other"

log = structlog.get_logger(__name__)


class NoSuchSection(ToolFailure):
    code = "not_found"

    def __init__(self, path: str, missing: Sequence[str], headings: Sequence[str]) -> None:
        there = "; ".join(f'"{heading}"' for heading in headings) or "none"
        wanted = ", ".join(f'"{name}"' for name in missing)
        super().__init__(f"no section named {wanted} in {path}. Its sections: {there}", sections=list(headings))


class DocsService:
    """`base_url` is where people read the pages; empty, their files are named."""

    def __init__(self, index: DocsIndex, *, most: int, snippet: int, base_url: str = "") -> None:
        self._index, self._most, self._snippet, self._base_url = index, most, snippet, base_url
        self._lock, self._next_look = asyncio.Lock(), 0.0

    async def pages(self) -> Mapping[str, Page]:
        """The pages as they are now, by path. Raises `ServiceUnavailable`: there is no such folder any more."""
        async with self._lock:
            if time.monotonic() >= self._next_look:
                try:
                    outcome = await asyncio.to_thread(self._index.refresh)
                except OSError as fault:
                    log.warning("docs_folder_unreadable", reason=str(fault))
                    raise ServiceUnavailable("The documentation folder cannot be read; see DOCS_ROOT") from None
                self._next_look = time.monotonic() + max(LOOK_SECONDS, SHARE * outcome.seconds)
                if outcome.read or outcome.removed:
                    log.info("docs_indexed", read=outcome.read, removed=outcome.removed, seconds=outcome.seconds)
        return self._index.pages

    async def find(self, query: str, limit: int | None) -> SearchResults:
        pages = await self.pages()
        results = await asyncio.to_thread(self._found, pages, query, limit or self._most)
        return SearchResults(query=query, results=results, total=len(results))

    async def page(self, path: str, sections: Sequence[str]) -> DocPage:
        """Raises `NotFound`: there is no such page; `NoSuchSection`: it has none of that name."""
        page = await self.find_page(path)
        found = [self._section(page, name) for name in sections]
        missing = [name for name, section in zip(sections, found, strict=True) if section is None]
        headings = [section.heading for section in page.sections]
        if missing:
            raise NoSuchSection(page.path, missing, headings)
        content = await self.content(page)
        if sections:
            content = "\n\n".join(text_of(one, content) for one in found if one is not None)
        return DocPage(
            path=page.path,
            title=page.title,
            content=content[:LONGEST_CONTENT],
            sections=headings,
            cut=len(content) > LONGEST_CONTENT,
            url=self.url_of(page),
        )

    async def listing(self, category: str | None) -> DocPages:
        """Raises `NotFound`: there is no such category."""
        groups: dict[str, list[str]] = {}
        for path, name in (await self.categories()).items():
            groups.setdefault(name, []).append(path)
        if category is not None:
            names = {name.lower(): name for name in groups}
            if (wanted := names.get(category.strip().lower())) is None:
                closest = _closest(category, list(groups)) or list(groups)[:SUGGESTED]
                raise NotFound("category", category, closest=closest)
            groups = {wanted: groups[wanted]}
        total, room, shown = sum(map(len, groups.values())), MOST_LISTED, []
        for name, paths in groups.items():
            shown.append(DocCategory(name=name, pages=paths[:room]))
            room -= len(paths[:room])
        return DocPages(categories=[one for one in shown if one.pages], total=total)

    async def categories(self) -> dict[str, str]:
        """The category of each page, in the order of the sidebar."""
        pages = await self.pages()
        sidebar = await self.content(pages[SIDEBAR]) if SIDEBAR in pages else ""
        return categories_of(sidebar, pages)

    async def search(self, query: str, limit: int) -> list[Found]:
        """As a `Source`."""
        found = await self.find(query, limit)
        return [Found(one.path, one.title, one.url, one.snippet) for one in found.results]

    async def fetch(self, id: str) -> Document:
        """As a `Source`. Raises `NotFound`."""
        page = await self.find_page(id)
        return Document(page.title, await self.content(page), self.url_of(page), {"path": page.path})

    async def content(self, page: Page) -> str:
        return await asyncio.to_thread(self._index.content, page)

    def url_of(self, page: Page, section: Section | None = None) -> str:
        anchor = f"#{quote(section.anchor)}" if section is not None and section.anchor else ""
        if not self._base_url:
            return (self._index.root / page.path).as_uri() + anchor
        return f"{self._base_url}/docs/{quote(page.path.rpartition('.')[0])}{anchor}"

    async def find_page(self, path: str) -> Page:
        """The page at that path, with or without its suffix. Raises `NotFound`."""
        pages = await self.pages()
        wanted = path.strip().lstrip("/").partition("#")[0]
        if (page := pages.get(wanted) or pages.get(f"{wanted}.md")) is None:
            raise NotFound("page", path, closest=_closest(wanted, list(pages)), listed_by="list_doc_pages")
        return page

    def _found(self, pages: Mapping[str, Page], query: str, limit: int) -> list[SearchResult]:
        hits = self._index.search.search(query, limit + 1, length=self._snippet)
        known = [hit for hit in hits if hit.key in pages and hit.key != SIDEBAR]
        return [self._result(pages[hit.key], hit) for hit in known[:limit]]

    def _result(self, page: Page, hit: Hit) -> SearchResult:
        section = page.section_at(hit.line)
        return SearchResult(
            path=page.path,
            title=page.title,
            score=round(hit.score * 100),
            snippet=hit.snippet,
            url=self.url_of(page, section),
            **{name: getattr(section, name, None) for name in ("heading", "anchor", "line_start", "line_end")},
        )

    def _section(self, page: Page, name: str) -> Section | None:
        wanted = name.strip().lstrip("#").strip().lower()
        return next((one for one in page.sections if wanted in {one.heading.lower(), one.anchor}), None)


def _closest(name: str, known: list[str]) -> list[str]:
    found = process.extract(name[:200], known, scorer=fuzz.ratio, limit=SUGGESTED, score_cutoff=ALIKE)
    return [one for one, _, _ in found]


def categories_of(sidebar: str, paths: Collection[str]) -> dict[str, str]:
    """The category of each of `paths`, in the order of the sidebar; those that it does not name come last.

    Headings and list items without a link name what the links below them belong to.
    """
    found: dict[str, str] = {}
    current = OTHER
    for line in sidebar.splitlines():
        if (marker := _MARKER.match(line)) is None:
            continue
        targets = [path for link in _LINK.findall(line) if (path := _page_of(link, paths)) is not None]
        if not targets and not _LINK.search(line):
            current = line[marker.end() :].strip(" *_:#") or current
        for path in targets:
            found.setdefault(path, current)
    return {**found, **{path: OTHER for path in sorted(paths, key=_place) if path not in found and path != SIDEBAR}}


def _page_of(link: str, paths: Collection[str]) -> str | None:
    path = posixpath.normpath(link.partition("#")[0].lstrip("/")) if "://" not in link else ""
    stem = path.removesuffix(".html").removesuffix(".md")
    return next((one for one in (path, f"{stem}.md", f"{stem}.mdx", f"{stem}/index.md") if one in paths), None)


def _place(path: str) -> tuple[bool, str, bool, str]:
    """Where a table of contents would have it: the index of a folder before the rest of it."""
    folder, name = posixpath.split(path)
    return folder != "", folder, name.partition(".")[0].lower() not in {"index", "readme"}, path
