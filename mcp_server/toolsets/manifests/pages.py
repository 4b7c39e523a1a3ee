"""Pages of the web as Markdown, fetched when they are asked for and kept for a while."""

import asyncio
import contextlib
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import structlog

from mcp_server.errors import ToolFailure
from mcp_server.upstream.fetching import Fetched, FetchFailed, RedirectRefused, Validators, fetch

ACCEPT = "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/xhtml+xml;q=0.8, */*;q=0.1"
MARKDOWN = frozenset({"", "text/markdown", "text/x-markdown", "text/plain"})
HTML = frozenset({"text/html", "application/xhtml+xml"})
MAX_BYTES = 5 * 1024 * 1024
SECONDS = 20.0
MOST_KEPT = 200_000_000
"""Characters of all pages in the cache; the oldest pages go first."""
AT_ONCE = 8
"""Pages that are fetched and read at one time: each may take some tens of MB."""
GONE = frozenset({404, 410})
MAX_TAGS, MAX_ATTRIBUTES = 200_000, 2_000
"""With more the parser takes seconds; attributes of one tag are compared with each other."""

SCHEMA = """CREATE TABLE IF NOT EXISTS pages(asked TEXT PRIMARY KEY, url TEXT, markdown TEXT, etag TEXT, modified TEXT,
  cut INTEGER, fetched_at REAL)"""
OLDEST_FIRST = """DELETE FROM pages WHERE asked IN (SELECT asked FROM (SELECT asked, SUM(LENGTH(markdown) + 1000) OVER
  (ORDER BY fetched_at DESC, asked) AS together FROM pages) WHERE together > ?)"""

log = structlog.get_logger(__name__)


class CacheFailed(ToolFailure):
    code = "cache_error"


@dataclass(frozen=True, slots=True)
class Copy:
    """A page. `stale_because` is why it is older than it may be, and empty where it is not."""

    url: str
    markdown: str
    validators: Validators
    is_cut: bool
    fetched_at: float
    stale_because: str = ""


class PageCache:
    """Pages by the address that was asked for, in an SQLite file that may be thrown away. Every method blocks.

    Each raises `CacheFailed`: the file cannot be used.
    """

    def __init__(self, path: Path, most: int = MOST_KEPT) -> None:
        self._path, self._most = path, most

    def get(self, asked: str) -> Copy | None:
        found = self._run("SELECT * FROM pages WHERE asked = ?", asked)
        if not found:
            return None
        _, url, markdown, etag, modified, cut, fetched_at = found[0]
        return Copy(url, markdown, Validators(etag, modified), bool(cut), fetched_at)

    def put(self, asked: str, copy: Copy) -> None:
        known = copy.validators
        row = (asked, copy.url, copy.markdown, known.etag, known.last_modified, copy.is_cut, copy.fetched_at)
        self._run("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        self._run(OLDEST_FIRST, self._most)

    def _run(self, statement: str, *values: Any) -> list[Any]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=5)) as connection, connection:
                connection.execute(SCHEMA)
                return connection.execute(statement, values).fetchall()
        except (sqlite3.Error, OSError) as fault:
            log.warning("page_cache_unusable", reason=str(fault))
            raise CacheFailed("the page cache cannot be used") from None


class PageReader:
    """`web` is the guarded client, `ttl` in seconds, and `clock` tells the time since 1970."""

    def __init__(self, web: Any, cache: PageCache, *, ttl: float, clock: Callable[[], float] = time.time) -> None:
        self._web, self._cache, self._ttl, self.clock = web, cache, ttl, clock
        self._places = asyncio.Semaphore(AT_ONCE)

    async def read(self, url: str, may_follow: Callable[[str], bool]) -> Copy:
        """From the cache, from the site, or where that fails the older copy.

        Raises `FetchFailed`: there is neither; `RedirectRefused`; `CacheFailed`: there might be one.
        """
        kept, unusable = None, None
        try:
            kept = await asyncio.to_thread(self._cache.get, url)
        except CacheFailed as fault:
            unusable = fault
        if kept is not None and not may_follow(kept.url):
            kept = None
        if kept is not None and 0 <= self.clock() - kept.fetched_at < self._ttl:
            return kept
        try:
            new = await self._renewed(url, kept, may_follow)
        except FetchFailed as failure:
            if failure.status in GONE or isinstance(failure, RedirectRefused):
                raise
            if unusable is not None:
                raise CacheFailed(f"{unusable.message}, and {failure}") from None
            if kept is None:
                raise
            return replace(kept, stale_because=str(failure))
        with contextlib.suppress(CacheFailed):  # the caller has the page
            await asyncio.to_thread(self._cache.put, url, new)
        return new

    async def _renewed(self, url: str, kept: Copy | None, may_follow: Callable[[str], bool]) -> Copy:
        more: dict[str, Any] = {"accept": ACCEPT, "validators": kept.validators} if kept else {"accept": ACCEPT}
        try:
            async with asyncio.timeout(SECONDS), self._places:
                more |= {"max_bytes": MAX_BYTES, "seconds": SECONDS, "may_follow": may_follow}
                fetched = await fetch(self._web, url, **more)
                now = self.clock()
                if kept is not None and not fetched.is_modified:
                    return replace(kept, fetched_at=now)
                markdown = await asyncio.to_thread(as_markdown, fetched)
        except TimeoutError:
            raise FetchFailed(f"the page was not read within {SECONDS:g} seconds") from None
        return Copy(fetched.url, markdown, fetched.validators, fetched.is_cut, now)


def as_markdown(fetched: Fetched) -> str:
    """Raises `FetchFailed`: the page has no text that could be read."""
    text, media_type = fetched.text, fetched.media_type
    begins_as_html = re.match(r"\s*<(?:!doctype html|html)\b", text, re.IGNORECASE) is not None
    is_html = media_type in HTML or (begins_as_html and media_type in {"", "text/plain"})
    if not is_html and media_type not in MARKDOWN:
        raise FetchFailed("the page is neither Markdown nor plain text nor HTML")
    markdown = _extracted(text) if is_html else text.strip()
    if not markdown:
        raise FetchFailed("the page has no text, or none without its scripts")
    return markdown


def _extracted(html: str) -> str:
    unquoted = (re.sub(r"""(["']).*?\1""", "", tag[0], flags=re.DOTALL) for tag in re.finditer("<[^>]{2000,}", html))
    if html.count("<") > MAX_TAGS or any(len(re.findall(r"[\s/]+", tag)) > MAX_ATTRIBUTES for tag in unquoted):
        raise FetchFailed("the page has too many tags to be read")
    extract, plain = resolve_name("trafilatura:extract"), resolve_name("trafilatura:html2txt")
    config = resolve_name("trafilatura.settings:use_config")()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "20")  # below that, it takes all words of the page and no headings
    kinds = {"include_formatting": True, "include_links": True, "include_tables": True, "include_comments": False}
    return str(extract(html, output_format="markdown", config=config, **kinds) or plain(html) or "").strip()
