"""Pages of the open web as Markdown, through a cache that outlives the process."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from urllib.parse import urlsplit

import structlog

from mcp_server.toolsets.manifests.models import CacheFailed, FetchedPage, NoSuch, PageNotFetched, title_of
from mcp_server.upstream.client import Client
from mcp_server.upstream.fetching import NOT_MODIFIED, Fetched, FetchFailed, fetch

CACHE_FILE = Path("cache", "pages.sqlite3")
ACCEPT = "text/markdown, text/plain;q=0.9, text/html;q=0.8, */*;q=0.1"
LARGEST_PAGE, LONGEST_TEXT = 5 * 1024 * 1024, 200_000
FETCH_SECONDS = 20.0
MOST_PAGES = 2_000
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS pages(url TEXT PRIMARY KEY, title TEXT, content TEXT, cut INTEGER, etag TEXT,"
    " last_modified TEXT, fetched_at REAL) WITHOUT ROWID"
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as it was at `fetched_at`, in seconds since 1970."""

    url: str
    title: str
    content: str
    cut: bool
    etag: str | None
    last_modified: str | None
    fetched_at: float


class PageCache:
    """At most 2,000 pages in one SQLite file; the oldest make room. Its methods block. Raises `CacheFailed`."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, threading.Lock()

    def get(self, url: str) -> CachedPage | None:
        with self._lock, closing(self._opened()) as connection, _failing():
            row = connection.execute("SELECT * FROM pages WHERE url = ?", (url,)).fetchone()
        return None if row is None else CachedPage(row[0], row[1], row[2], bool(row[3]), row[4], row[5], row[6])

    def put(self, page: CachedPage) -> None:
        values = (page.url, page.title, page.content, page.cut, page.etag, page.last_modified, page.fetched_at)
        with self._lock, closing(self._opened()) as connection, _failing(), connection:
            connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            connection.execute(
                "DELETE FROM pages WHERE url IN (SELECT url FROM pages ORDER BY fetched_at DESC LIMIT -1 OFFSET ?)",
                (MOST_PAGES,),
            )

    def _opened(self) -> sqlite3.Connection:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._file, timeout=5)
            connection.execute(SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise CacheFailed("the page cache cannot be opened; see DATA_DIR") from error
        return connection


class _failing:  # noqa: N801  reads as the statement that it is
    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise CacheFailed("the page cache cannot be read; remove it from DATA_DIR") from error


class PageReader:
    """`web` reaches public addresses only; a copy is fresh for `ttl` seconds. `clock` is in seconds since 1970."""

    def __init__(self, web: Client, cache: PageCache, ttl: float, clock: Callable[[], float] = time.time) -> None:
        self._web, self._cache, self._ttl, self._clock = web, cache, ttl, clock

    async def read(self, url: str, hosts: Collection[str], title: str = "") -> FetchedPage:
        """The page; from the cache where it is fresh, or where the site does not answer.

        Raises `NoSuch`: it leads away from `hosts`; `PageNotFetched`: there is neither an answer nor a copy;
        `CacheFailed`.
        """
        kept = await asyncio.to_thread(self._cache.get, url)
        if kept is not None and self._clock() - kept.fetched_at < self._ttl:
            return _shown(kept, stale=False)
        try:
            page = await self._fetched(url, hosts, kept, title)
        except FetchFailed as failed:
            if kept is None:
                raise PageNotFetched(failed.reason) from None
            log.info("page_is_stale", reason=failed.reason)
            return _shown(kept, stale=True)
        await asyncio.to_thread(self._cache.put, page)
        return _shown(page, stale=False)

    async def _fetched(self, url: str, hosts: Collection[str], kept: CachedPage | None, title: str) -> CachedPage:
        asked = {"Accept": ACCEPT}
        if kept is not None and kept.etag:
            asked["If-None-Match"] = kept.etag
        elif kept is not None and kept.last_modified:
            asked["If-Modified-Since"] = kept.last_modified
        answer = await fetch(self._web, url, most=LARGEST_PAGE, seconds=FETCH_SECONDS, headers=asked)
        if urlsplit(answer.url).netloc.lower() not in hosts:
            raise NoSuch("manifest for", urlsplit(answer.url).netloc[:200], None, "the page redirects there")
        now = self._clock()
        if answer.status == NOT_MODIFIED and kept is not None:
            return replace(kept, fetched_at=now)
        found_title, content = await asyncio.to_thread(_markdown, answer)
        if not content.strip():
            raise FetchFailed("the page has no text")
        cut = answer.is_cut or len(content) > LONGEST_TEXT
        named = (found_title or title or title_of(url))[:500]
        known = answer.headers.get("etag"), answer.headers.get("last-modified")
        return CachedPage(url, named, content[:LONGEST_TEXT], cut, *known, now)


def _markdown(answer: Fetched) -> tuple[str, str]:
    """Title and text; HTML is reduced to its main part. Raises `FetchFailed`: it is no text."""
    kind = answer.media_type
    if kind in {"text/html", "application/xhtml+xml"} or (not kind and answer.body.lstrip()[:1] == b"<"):
        extract = resolve_name("trafilatura:extract")
        text = extract(
            answer.body, url=answer.url, output_format="markdown", include_links=True, include_formatting=True
        )
        text = text or resolve_name("trafilatura:html2txt")(answer.body)
    elif kind and not kind.startswith("text/"):
        raise FetchFailed(f"the page is not text but {kind[:100]}")
    else:
        text = answer.body.decode("utf-8", "replace").replace("\x00", "\ufffd")
    title = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return title.removeprefix("# ").strip(), text


def _shown(page: CachedPage, *, stale: bool) -> FetchedPage:
    at = datetime.fromtimestamp(page.fetched_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return FetchedPage(url=page.url, title=page.title, content=page.content, fetched_at=at, stale=stale, cut=page.cut)
