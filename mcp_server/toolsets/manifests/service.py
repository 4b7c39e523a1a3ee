"""What the manifests say, and the pages that they name."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from rapidfuzz import fuzz, process

from mcp_server.search.index import Entry, SearchIndex
from mcp_server.toolkit.sources import Document, Found
from mcp_server.toolsets.manifests.models import (
    DocsRow,
    DocsRows,
    FetchedPage,
    HitRow,
    HitRows,
    Manifest,
    ManifestPage,
    NoSuch,
    PageRow,
    PageRows,
    SectionRow,
    SectionRows,
)
from mcp_server.toolsets.manifests.pages import PageReader
from mcp_server.toolsets.manifests.store import ManifestStore

SUGGESTED = 60
"""Likeness, of 100, from which a name may stand in a "did you mean"."""

ALIKE, WORTH = 70.0, 0.3
"""Likeness from which a page is found although no word of it is asked for, and what that is worth at most."""

ADD = "add one with `manifests add NAME URL`"


class Manifests:
    """Reads `store` again when a file has changed; `reader` fetches the pages."""

    def __init__(self, store: ManifestStore, reader: PageReader) -> None:
        self._store, self._reader, self._lock = store, reader, asyncio.Lock()
        self._indexes: dict[str, tuple[Manifest, SearchIndex]] = {}

    def close(self) -> None:
        for _, index in self._indexes.values():
            index.close()

    async def docs(self) -> DocsRows:
        loaded = await self._loaded()
        return DocsRows(docs=[DocsRow(name=one.name, url=one.url, pages=len(one.pages)) for one in loaded.values()])

    async def sections(self, docs: str | None) -> SectionRows:
        counted = Counter(
            manifest.top_section(page) for manifest in await self._chosen(docs) for page in manifest.pages
        )
        rows = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
        return SectionRows(sections=[SectionRow(section=section, pages=number) for section, number in rows])

    async def section_pages(self, section: str, docs: str | None) -> PageRows:
        """Raises `NoSuch`: no page is below that section."""
        prefix = "/" + section.strip().strip("/")
        chosen = await self._chosen(docs)
        found = [page for one in chosen for page in one.pages if f"{page.path}/".startswith(prefix.rstrip("/") + "/")]
        if not found:
            known = sorted({page.section for one in chosen for page in one.pages})
            raise NoSuch("section", section, _closest(prefix, known), "call list_sections")
        return PageRows(pages=[PageRow(url=page.url, title=page.title, section=page.section) for page in found])

    async def search_pages(self, query: str, limit: int, docs: str | None) -> HitRows:
        chosen = await self._chosen(docs)
        return HitRows(pages=await asyncio.to_thread(self._found, chosen, query, limit))

    async def page(self, url: str) -> FetchedPage:
        """Raises `NoSuch`: it is not of a site that a manifest names; `PageNotFetched`, `CacheFailed`."""
        loaded = await self._loaded()
        hosts = frozenset().union(*(one.hosts for one in loaded.values()))
        wanted = url.partition("#")[0]
        if urlsplit(wanted).netloc.lower() not in hosts:
            raise NoSuch("manifest for", urlsplit(wanted).netloc[:200], None, f"list_docs shows the sites; {ADD}")
        pages = (page for one in loaded.values() for page in one.pages if page.url == wanted)
        known = next(pages, None)
        return await self._reader.read(wanted, hosts, title=known.title if known is not None else "")

    async def search(self, query: str, limit: int) -> list[Found]:
        """As a `Source`."""
        hits = await self.search_pages(query, limit, None)
        return [Found(hit.url, hit.title, hit.url) for hit in hits.pages]

    async def fetch(self, id: str) -> Document:
        """As a `Source`. Raises as `page`."""
        page = await self.page(id)
        return Document(page.title, page.content, page.url, {"fetchedAt": page.fetched_at})

    async def _loaded(self) -> Mapping[str, Manifest]:
        async with self._lock:
            return await asyncio.to_thread(self._load)

    def _load(self) -> Mapping[str, Manifest]:
        loaded = self._store.load()
        for name, (known, index) in list(self._indexes.items()):
            if loaded.get(name) is not known:
                index.close()
                del self._indexes[name]
        for name in loaded.keys() - self._indexes.keys():
            index = SearchIndex()
            index.write(_entry(page) for page in {page.url: page for page in loaded[name].pages}.values())
            self._indexes[name] = (loaded[name], index)
        return loaded

    async def _chosen(self, docs: str | None) -> list[Manifest]:
        """Raises `NoSuch`: there is no manifest of that name."""
        loaded = await self._loaded()
        if docs is None:
            return list(loaded.values())
        if docs not in loaded:
            raise NoSuch("manifest named", docs, _closest(docs, list(loaded)), f"call list_docs; {ADD}")
        return [loaded[docs]]

    def _found(self, chosen: Sequence[Manifest], query: str, limit: int) -> list[HitRow]:
        hits: list[tuple[float, ManifestPage]] = []
        for manifest in chosen:
            pages = {page.url: page for page in manifest.pages}
            index = self._indexes[manifest.name][1]
            hits += [(hit.score, pages[hit.key]) for hit in index.search(query, limit)]
        hits = hits or _alike([page for manifest in chosen for page in manifest.pages], query, limit)
        best = sorted(hits, key=lambda hit: (-hit[0], hit[1].url))[:limit]
        return [
            HitRow(url=page.url, title=page.title, section=page.section, score=round(score, 2)) for score, page in best
        ]


def _entry(page: ManifestPage) -> Entry:
    section = page.section.replace("/", " ").replace("-", " ").replace("_", " ")
    return Entry(page.url, page.title, headings=section, path=page.path, body=f"{page.title}\n{page.path}")


def _alike(pages: Sequence[ManifestPage], query: str, limit: int) -> list[tuple[float, ManifestPage]]:
    """Pages that contain the query somewhere inside a word; else those whose title or path is like it."""
    wanted = query.strip().lower()
    texts = [f"{page.title} {page.path}".lower() for page in pages]
    inside = [(WORTH, page) for page, text in zip(pages, texts, strict=True) if wanted in text]
    if inside:
        return inside[:limit]
    near = process.extract(wanted[:200], texts, scorer=fuzz.WRatio, score_cutoff=ALIKE, limit=limit)
    return [(WORTH * score / 100, pages[place]) for _, score, place in near]


def _closest(name: str, known: Sequence[str]) -> str | None:
    found = process.extractOne(name[:200], known, scorer=fuzz.ratio, score_cutoff=SUGGESTED)
    return found[0] if found is not None else None
