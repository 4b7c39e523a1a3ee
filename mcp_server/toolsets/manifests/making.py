"""Makes a manifest of a site, from its llms.txt, else its sitemaps, else by a crawl; and makes it anew.

A crawl goes by the links of a site that lists no pages: bounded, polite, and taken up again where it was broken off.
"""

import asyncio
import mimetypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from lxml import etree, html  # type: ignore[import-untyped] # lxml ships no types
from pydantic import BaseModel, ValidationError

from mcp_server.toolkit.secret_file import write_whole
from mcp_server.toolsets.manifests import lists
from mcp_server.toolsets.manifests.lists import NothingFound, Site, absolute
from mcp_server.toolsets.manifests.models import Manifest, Page, Source, covers
from mcp_server.toolsets.manifests.store import READABLE
from mcp_server.upstream.fetching import Fetched, FetchFailed, Validators

WAYS: Sequence[Source] = get_args(Source)
MAX_PAGE = 2 * 1024 * 1024
SEEN_PER_PAGE = 10
"""Addresses that are remembered for each page that is wanted."""
SAVE_EVERY = 10
TEXTS = frozenset({"text/html", "application/xhtml+xml", "text/markdown", None})


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a crawl: pages, links from the first page, seconds in all and between two requests."""

    pages: int = 2_000
    depth: int = 4
    seconds: float = 600.0
    delay: float = 0.1


class CrawlState(BaseModel):
    """How far a crawl of `url` is. `queue` has addresses with their depths, the next one first."""

    url: str
    queue: list[tuple[str, int]]
    seen: set[str]
    pages: list[Page] = []


class Crawl:
    """`state_file` keeps how far it is; `on_page` is told how many pages there are."""

    def __init__(self, site: Site, limits: Limits, state_file: Path, on_page: Callable[[int], None]) -> None:
        self._site, self._limits, self._file, self._on_page = site, limits, state_file, on_page
        self._state = _kept(state_file, site.url) or CrawlState(url=site.url, queue=[(site.url, 0)], seen={site.url})

    async def run(self) -> tuple[list[Page], bool]:
        """The pages, and whether these are all; where the time was over, the next crawl goes on from here.

        Raises `NothingFound`.
        """
        state, steps = self._state, 0
        try:
            async with asyncio.timeout(self._limits.seconds):
                while state.queue and len(state.pages) < self._limits.pages:
                    self._on_page(len(state.pages))
                    await self._visit(*state.queue[0])
                    state.queue.pop(0)  # after the visit: one that is broken off is made again
                    steps += 1
                    if steps % SAVE_EVERY == 0:
                        self._save()
        except TimeoutError:
            pass
        finally:
            self._save()
        is_whole = not state.queue or len(state.pages) >= self._limits.pages
        if is_whole:
            self._file.unlink()
        if not state.pages:
            raise NothingFound("no page could be read, or robots.txt forbids it")
        return self._site.pages(state.pages), is_whole

    def _save(self) -> None:
        write_whole(self._file, self._state.model_dump_json(), READABLE)

    async def _visit(self, url: str, depth: int) -> None:
        if not (await self._site.robots()).can_fetch(url, lists.AGENT):
            return
        try:
            fetched = await self._site.get(url, MAX_PAGE, accept="text/html, text/markdown")
        except FetchFailed:
            return
        state, final = self._state, without_query(fetched.url, "")
        is_other = final != url and (final in state.seen or not covers(self._site.url, final))
        if is_other or fetched.media_type not in TEXTS:
            return
        title, links = read(fetched)
        state.seen.add(final)
        state.pages.append(Page(url=final, title=title or lists.title_of(final)))
        for link in links if depth < self._limits.depth else ():
            is_text = mimetypes.guess_type(urlsplit(link).path)[0] in TEXTS
            has_room = len(state.seen) < SEEN_PER_PAGE * self._limits.pages
            if is_text and has_room and link not in state.seen and covers(self._site.url, link):
                state.seen.add(link)
                state.queue.append((link, depth + 1))


def read(fetched: Fetched) -> tuple[str, list[str]]:
    """Title and links of a page; neither, where it is no HTML."""
    try:
        tree = html.document_fromstring(fetched.body, parser=html.HTMLParser(encoding=fetched.charset))
    except (etree.ParserError, LookupError, ValueError):
        return "", []
    heading, start = tree.find(".//h1"), tree.find(".//base[@href]")
    title = heading.text_content() if heading is not None else tree.findtext(".//title") or ""
    base = absolute(fetched.url, start.get("href")) if start is not None else ""
    found = (without_query(base or fetched.url, link.get("href")) for link in tree.iterfind(".//a[@href]"))
    return lists.shown(title), [link for link in dict.fromkeys(found) if link]


def without_query(base: str, target: str) -> str:
    """The address without its query and its last slash: calendars and filters have no end."""
    return absolute(base, target).partition("?")[0].rstrip("/")


def _kept(path: Path, url: str) -> CrawlState | None:
    try:
        state = CrawlState.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return state if state.url == url else None


@dataclass(frozen=True)
class Maker:
    """`web` is the guarded client, `folder` that of the manifests; `on_page` is told how many pages a crawl has."""

    web: Any
    folder: Path
    limits: Limits
    on_page: Callable[[int], None] = lambda _: None

    async def make(self, name: str, url: str, ways: Sequence[Source] = WAYS) -> tuple[Manifest, bool]:
        """The manifest, and whether a crawl came to its end. Raises `NothingFound`: what each way came to is said."""
        site, reasons = Site(self.web, without_query(url, ""), self.limits.delay), []
        for way in ways:
            try:
                async with asyncio.timeout(2 * self.limits.seconds):
                    return await self._by(way, name, site)
            except NothingFound as nothing:
                reasons.append(f"{way}: {nothing}")
            except TimeoutError:
                reasons.append(f"{way}: it took too long")
        raise NothingFound("; ".join(reasons))

    async def remake(self, old: Manifest) -> tuple[Manifest, bool] | None:
        """None where nothing has changed. No worse way than before is taken, and no part for what was whole.

        Raises `NothingFound`.
        """
        if old.validators and await self._is_unchanged(old):
            return None
        new, is_whole = await self.make(old.name, old.url, WAYS[: WAYS.index(old.source) + 1])
        if not is_whole:
            return max(old, new, key=lambda one: len(one.pages)), False
        return None if new == old.model_copy(update={"fetched_at": new.fetched_at}) else (new, True)

    async def _by(self, way: Source, name: str, site: Site) -> tuple[Manifest, bool]:
        is_whole, validators = True, dict[str, Validators]()
        if way == "crawl":
            pages, is_whole = await Crawl(site, self.limits, state_file(self.folder, name), self.on_page).run()
        else:
            pages, validators = await (lists.from_llms_txt if way == "llms.txt" else lists.from_sitemaps)(site)
        now = datetime.now(UTC)
        made = Manifest(name=name, url=site.url, source=way, fetched_at=now, validators=validators, pages=tuple(pages))
        return made, is_whole

    async def _is_unchanged(self, old: Manifest) -> bool:
        """Whether all files that the list was made of are as they were."""
        site = Site(self.web, old.url, self.limits.delay)
        for place, validators in old.validators.items():
            try:
                if (await site.get(place, lists.MAX_SITEMAP, validators=validators)).is_modified:
                    return False
            except FetchFailed:
                return False
        return True


def state_file(folder: Path, name: str) -> Path:
    """Where a crawl that was broken off is kept."""
    return folder / f"{name}.crawl"
