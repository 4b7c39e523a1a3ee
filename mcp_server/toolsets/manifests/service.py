"""What the five tools do: lists and search from the manifests in memory, and pages from the web."""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urldefrag

from rapidfuzz import fuzz, process

from mcp_server.errors import InvalidArguments, NotFound, ToolFailure
from mcp_server.toolkit.sources import Document, Found
from mcp_server.toolsets.manifests import models
from mcp_server.toolsets.manifests.models import Listing, Manifest, host_of, is_below, path_of
from mcp_server.toolsets.manifests.pages import CacheFailed, Copy, PageReader
from mcp_server.toolsets.manifests.store import Library, Scored
from mcp_server.upstream.fetching import FetchFailed

ALIKE = 60
MOST_LISTED = 2_000
"""Pages of one answer."""
LONGEST_CONTENT = 100_000
HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)


class NothingNamed(ToolFailure):
    code = "not_found"

    def __init__(self, kind: str, wanted: str, known: Collection[str], otherwise: str = "") -> None:
        near = process.extractOne(wanted[:200], sorted(known), scorer=fuzz.ratio, score_cutoff=ALIKE)
        hint = f" (did you mean '{near[0]}'?)" if near is not None else otherwise
        super().__init__(f"no {kind} '{wanted[:200]}'{hint}")


class PageUnavailable(ToolFailure):
    code = "fetch_failed"


class ManifestService:
    def __init__(self, library: Library, reader: PageReader) -> None:
        self._library, self._reader = library, reader

    async def docs(self) -> Listing[models.ManifestEntry]:
        """The biggest first."""
        found = sorted((await self._manifests()).values(), key=lambda one: -len(one.pages))
        rows = (models.ManifestEntry(name=one.name, url=one.url, pages=len(one.pages)) for one in found)
        return Listing(results=tuple(rows))

    async def sections(self, docs: str | None) -> Listing[models.SectionEntry]:
        """The biggest first. Raises `NothingNamed`."""
        counts = Counter(one.top_section(page) for one in await self._chosen(docs) for page in one.pages)
        ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        return Listing(results=tuple(models.SectionEntry(section=section, pages=pages) for section, pages in ranked))

    async def find(self, query: str, limit: int, docs: str | None) -> Listing[models.ScoredPage]:
        """Raises `NothingNamed`."""
        found = await self._found(query, limit, docs)
        return Listing(results=tuple(models.ScoredPage(**page.entry, score=score) for score, page in found))

    async def section_pages(self, section: str, docs: str | None) -> Listing[models.PageEntry]:
        """Raises `NothingNamed`; `InvalidArguments`: there are too many for one answer."""
        chosen, path = await self._chosen(docs), path_of(section)
        # A whole part of the path first: `/api` is not meant to bring `/apidocs` along.
        known = [page for one in chosen for page in one.pages]
        whole = [page for page in known if is_below(path_of(page.url), path)]
        pages = whole or [page for page in known if path_of(page.url).startswith(path)]
        if not pages:
            raise NothingNamed("section", section, {page.section for page in known}, " (list_sections names them)")
        if len(pages) > MOST_LISTED:
            found = f"'{section[:200]}' has {len(pages)} pages, more than the {MOST_LISTED} of one answer"
            raise InvalidArguments(f"{found}; name docs, or a longer section")
        return Listing(results=tuple(models.PageEntry(**page.entry) for page in pages))

    async def page(self, url: str) -> models.PageContent:
        """Raises `NothingNamed`: no manifest has its host; `PageUnavailable`, `CacheFailed`."""
        title, copy = await self._copy(url)
        return models.PageContent(
            url=copy.url,
            title=title,
            content=copy.markdown[:LONGEST_CONTENT],
            fetched_at=datetime.fromtimestamp(round(copy.fetched_at), UTC),
            age_seconds=max(0, round(self._reader.clock() - copy.fetched_at)),
            stale=bool(copy.stale_because),
            stale_because=copy.stale_because,
            cut=copy.is_cut or len(copy.markdown) > LONGEST_CONTENT,
        )

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        """As a `Source`."""
        return [Found(page.url, page.title, page.url) for _, page in await self._found(query, limit, None)]

    async def fetch(self, id: str) -> Document:
        """As a `Source`. Raises `NotFound`, and what `page` raises."""
        try:
            title, copy = await self._copy(id)
        except NothingNamed:
            raise NotFound("page", id, listed_by="search_pages") from None
        about = {"fetchedAt": datetime.fromtimestamp(round(copy.fetched_at), UTC).isoformat()}
        return Document(title, copy.markdown, copy.url, about | ({"stale": "true"} if copy.stale_because else {}))

    async def _copy(self, url: str) -> tuple[str, Copy]:
        """The page's title, and the page."""
        manifests, wanted = await self._manifests(), urldefrag(url).url
        hosts = {host_of(one.url) for one in manifests.values()}
        if host_of(wanted) not in hosts:
            raise NothingNamed("manifest for the host", host_of(wanted) or wanted, hosts, " (list_docs has the sites)")
        try:
            copy = await self._reader.read(wanted, lambda target: host_of(target) in hosts)
        except FetchFailed as failure:
            raise PageUnavailable(str(failure)) from None
        known = (page.title for one in manifests.values() for page in one.pages if page.url == wanted)
        heading = HEADING.search(copy.markdown)
        return next(known, heading[1][:500] if heading else path_of(wanted)), copy

    async def _found(self, query: str, limit: int, docs: str | None) -> list[Scored]:
        names = {one.name for one in await self._chosen(docs)}
        return await asyncio.to_thread(self._library.search, query, limit, names)

    async def _chosen(self, docs: str | None) -> list[Manifest]:
        manifests = await self._manifests()
        if docs is None:
            return list(manifests.values())
        if docs not in manifests:
            raise NothingNamed("manifest named", docs, manifests, " (list_docs names those that are loaded)")
        return [manifests[docs]]

    async def _manifests(self) -> Mapping[str, Manifest]:
        try:
            return await asyncio.to_thread(self._library.manifests)
        except OSError as fault:
            raise CacheFailed(f"the manifests cannot be read: {fault.strerror}") from None
