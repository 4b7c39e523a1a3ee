"""A polite crawl of one site that has no list of its pages: bounded, and able to go on where it was stopped."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import html  # type: ignore[import-untyped]  # lxml ships no types
from protego import Protego
from pydantic import BaseModel, ValidationError

from mcp_server.toolsets.manifests.listing import AGENT
from mcp_server.toolsets.manifests.models import ManifestPage, title_of
from mcp_server.upstream.client import Client
from mcp_server.upstream.fetching import Fetched, FetchFailed, fetch

LARGEST_PAGE, PAGE_SECONDS = 5 * 1024 * 1024, 20.0
PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds between two pages: ours, and the most of what a site may ask for."""

MOST_WAITING = 20_000
NO_PAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf", ".zip", ".gz", ".css", ".js", ".ico", ".mp4")


class Limits(BaseModel):
    """How far a crawl goes: links from the first page, pages, and seconds."""

    depth: int = 4
    pages: int = 2_000
    seconds: float = 600


class State(BaseModel):
    """Where a crawl is. `waiting` are addresses with their depth."""

    url: str
    found: list[ManifestPage] = []
    waiting: list[tuple[str, int]] = []
    seen: set[str] = set()


class Crawl:
    """`file` keeps the state after each page; `told` is called with the pages so far and those that wait."""

    def __init__(
        self, web: Client, url: str, robots: Protego, file: Path, limits: Limits, told: Callable[[int, int], None]
    ) -> None:
        self._web, self._robots, self._file, self._limits, self._told = web, robots, file, limits, told
        self._pause = min(LONGEST_PAUSE, float(robots.crawl_delay(AGENT) or PAUSE))
        first = url if urlsplit(url).path else f"{url}/"
        self.state = _kept(file, first) or State(url=first, waiting=[(first, 0)], seen={first})

    async def run(self) -> list[ManifestPage]:
        """The pages; the state's file is gone when there is nothing left to do."""
        state, ends = self.state, time.monotonic() + self._limits.seconds
        while state.waiting and len(state.found) < self._limits.pages and time.monotonic() < ends:
            address, depth = state.waiting[0]
            await self._visit(address, depth)
            state.waiting.pop(0)
            await asyncio.to_thread(self._keep)
            self._told(len(state.found), len(state.waiting))
            if state.waiting:
                await asyncio.sleep(self._pause)
        self._file.unlink(missing_ok=True)
        return state.found

    async def _visit(self, address: str, depth: int) -> None:
        if not self._robots.can_fetch(address, AGENT):
            return
        try:
            page = await fetch(
                self._web, address, most=LARGEST_PAGE, seconds=PAGE_SECONDS, headers={"Accept": "text/html"}
            )
        except FetchFailed:
            return  # one page less
        if page.media_type not in {"text/html", "application/xhtml+xml"} or not self._is_here(page.url):
            return
        title, links = await asyncio.to_thread(_read, page)
        self.state.found.append(ManifestPage(url=address, title=title or title_of(address)))
        if depth < self._limits.depth:
            self._note(links, depth + 1)

    def _note(self, links: list[str], depth: int) -> None:
        for link in links:
            if link in self.state.seen or len(self.state.seen) >= MOST_WAITING or not self._is_here(link):
                continue
            self.state.seen.add(link)
            self.state.waiting.append((link, depth))

    def _is_here(self, url: str) -> bool:
        """Below the site's own path, on its host."""
        site, parts = urlsplit(self.state.url), urlsplit(url)
        base = site.path.rstrip("/") + "/"
        return parts.netloc.lower() == site.netloc.lower() and f"{parts.path.rstrip('/')}/".startswith(base)

    def _keep(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        draft = self._file.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(self.state.model_dump_json(), encoding="utf-8")
        draft.replace(self._file)


def _kept(file: Path, url: str) -> State | None:
    try:
        state = State.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
    return state if state.url == url and state.waiting else None


def _read(page: Fetched) -> tuple[str, list[str]]:
    """The title of a page, and the addresses that it links to."""
    try:
        tree = html.document_fromstring(page.body, parser=html.HTMLParser(encoding="utf-8", huge_tree=False))
    except (ValueError, html.etree.ParserError):
        return "", []
    title = " ".join((tree.findtext(".//title") or tree.findtext(".//h1") or "").split())[:500]
    links = []
    for target in tree.xpath("//a/@href")[:5_000]:
        try:
            link = urldefrag(urljoin(page.url, str(target)))[0]
            if urlsplit(link).scheme in {"http", "https"} and not urlsplit(link).path.lower().endswith(NO_PAGES):
                links.append(link)
        except ValueError:
            continue
    return title, links
