"""Manifests in their folder, one JSON file each, read again when they change; and one search index over all of them."""

import contextlib
import threading
from collections.abc import Collection, Mapping
from pathlib import Path

import structlog
from pydantic import ValidationError
from rapidfuzz import fuzz, process

from mcp_server.search.index import Entry, SearchIndex
from mcp_server.toolkit.secret_file import write_whole
from mcp_server.toolsets.manifests.models import Manifest, Page, path_of

SUFFIX = ".json"
READABLE = 0o666  # by everybody, as far as the process lets them
MAX_FILE = 32 * 1024 * 1024
LONGEST_QUERY = 100
"""Characters that are compared where nothing is found; the comparison holds the interpreter."""
ALIKE = 70
OVERFETCH = 5
FALLBACK_SHARE = 0.5
"""What a page that is only like the query scores at most."""

log = structlog.get_logger(__name__)
Stamp = tuple[int, int]
Scored = tuple[float, Page]


class ManifestBroken(Exception):
    """What is wrong with a file, in one line."""


def folder_of(data_dir: Path) -> Path:
    return data_dir / "manifests"


def save(folder: Path, manifest: Manifest) -> Path:
    path = folder / f"{manifest.name}{SUFFIX}"
    write_whole(path, manifest.model_dump_json(indent=1), READABLE)
    return path


def read(path: Path) -> Manifest:
    """Raises `ManifestBroken`."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise ManifestBroken(f"is larger than {MAX_FILE:,} bytes")
        manifest = Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise ManifestBroken(" ".join(f"{place}: {fault['msg']}".removeprefix(": ").split())) from None
    except OSError as error:
        raise ManifestBroken(f"cannot be read: {error.strerror}") from None
    if manifest.name != path.stem:
        raise ManifestBroken(f"name: is {manifest.name}, and must be that of the file")
    return manifest


def files(folder: Path) -> dict[Path, Stamp]:
    """The files of manifests, by name, each with what tells that it has changed. Raises `OSError`."""
    found: dict[Path, Stamp] = {}
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        if path.suffix == SUFFIX and not path.name.startswith("."):
            with contextlib.suppress(FileNotFoundError):  # it is removed meanwhile
                about = path.stat()
                found[path] = about.st_mtime_ns, about.st_size
    return found


class Library:
    """The manifests of a folder. Every method may be called from any thread, and blocks."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock, self._index = folder, threading.Lock(), SearchIndex()
        self._stamps: dict[Path, Stamp] = {}
        self._loaded: dict[str, Manifest] = {}
        self._indexed: dict[str, Manifest] = {}
        self._pages: dict[str, Page] = {}

    def close(self) -> None:
        self._index.close()

    def manifests(self) -> Mapping[str, Manifest]:
        """As the files are now; a broken one is logged once and left out. Raises `OSError`."""
        with self._lock:
            stamps = files(self._folder)
            kept = {
                path.stem: self._loaded[path.stem]
                for path, stamp in stamps.items()
                if path.stem in self._loaded and self._stamps[path] == stamp
            }
            for path, stamp in stamps.items():
                if self._stamps.get(path) != stamp:
                    try:
                        kept[path.stem] = read(path)
                    except ManifestBroken as fault:
                        log.warning("manifest_broken", file=path.name, reason=str(fault))
            self._stamps, self._loaded = stamps, kept
            return kept

    def search(self, query: str, limit: int, names: Collection[str]) -> list[Scored]:
        """The best pages of the manifests `names`, first by BM25, and where that finds none by likeness."""
        with self._lock:
            self._bring_up_to_date()
            return self._ranked(query, limit, names) or self._alike(query, limit, names)

    def _bring_up_to_date(self) -> None:
        """One index over all of them, because a score says how rare a word is in its index."""
        for name in self._indexed.keys() | self._loaded.keys():
            old, new = self._indexed.get(name), self._loaded.get(name)
            if old is new:
                continue
            stale, pages = ({f"{name} {page.url}": page for page in one.pages} if one else {} for one in (old, new))
            self._index.write((_entry(key, page) for key, page in pages.items()), stale)
            self._pages = {key: page for key, page in self._pages.items() if key not in stale} | pages
        self._indexed = dict(self._loaded)

    def _ranked(self, query: str, limit: int, names: Collection[str]) -> list[Scored]:
        found: list[Scored] = []
        for most in (limit * OVERFETCH, len(self._pages)):
            hits = self._index.search(query, most)
            found = [(hit.score, self._pages[hit.key]) for hit in hits if _name(hit.key) in names]
            if len(found) >= limit or len(hits) < most:
                break
        return found[:limit]

    def _alike(self, query: str, limit: int, names: Collection[str]) -> list[Scored]:
        """Those that contain the query first, then those that are spelt like it."""
        wanted = query[:LONGEST_QUERY].casefold().strip()
        texts = {
            key: f"{page.title} {path_of(page.url)} {page.heading}".casefold()
            for key, page in self._pages.items()
            if _name(key) in names
        }
        scores = {key: 100.0 for key, text in texts.items() if wanted in text}
        if not scores:
            near = process.extract(wanted, texts, scorer=fuzz.partial_ratio, limit=limit, score_cutoff=ALIKE)
            scores = {key: score for _, score, key in near}
        best = sorted(scores, key=lambda key: (-scores[key], len(texts[key]), key))[:limit]
        return [(round(scores[key] / 100 * FALLBACK_SHARE, 4), self._pages[key]) for key in best]


def _name(key: str) -> str:
    return key.partition(" ")[0]


def _entry(key: str, page: Page) -> Entry:
    # The body is what BM25 is of. The name and the host are found too: queries often have the product's name.
    headings = f"{page.heading} {page.section}"
    return Entry(key, page.title, headings, path_of(page.url), f"{page.title}\n{key}\n{page.heading}")
