"""The pages of a folder and the index to search them, kept in a file between starts and brought up to date by file.

The file is the one of the ServeMD document ("Index Format"); the full-text index, which it cannot hold, stands beside.
"""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import structlog

from mcp_server.search.index import Entry, SearchIndex
from mcp_server.toolsets.docs._pages import Page, Reader, Section

INDEX_VERSION = "1.0"
INDEX_FILE = Path("mcp", "search-index.json")
SUFFIXES = frozenset({".md", ".markdown", ".mdx"})
LARGEST_FILE = 4 * 1024 * 1024
MOST_PAGES = 20_000

log = structlog.get_logger(__name__)

Stamp = tuple[float, int]
"""When a file was changed, and how long it is: whether it is to be read again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a look at the folder came to: how many files were read, and how many pages went."""

    read: int
    removed: int
    seconds: float


class DocsIndex:
    """Every method blocks, and may be called from any thread.

    `cache` is the folder for the index; one that cannot be written is done without. `rebuild` reads every file again at
    the first look, as DEBUG wants it.
    """

    def __init__(
        self, root: Path, cache: Path | None, *, rebuild: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self.root = root.resolve()
        self.file = None if cache is None else cache / INDEX_FILE
        self.pages: Mapping[str, Page] = {}
        self.problems: tuple[str, ...] = ()
        self._rebuild, self._clock, self._lock = rebuild, clock, threading.Lock()
        self._search: SearchIndex | None = None

    @property
    def search(self) -> SearchIndex:
        """The full-text index, after the first `refresh`."""
        assert self._search is not None, "refresh() comes first"  # noqa: S101  a fault of the caller
        return self._search

    def refresh(self) -> Outcome:
        """Load the index at the first call, or build it; read what has changed since, and keep the result.

        Raises `FileNotFoundError`: there is no such folder.
        """
        started = time.perf_counter()
        with self._lock:
            if not self.root.is_dir():
                raise FileNotFoundError(f"{self.root} is not a folder")
            stamps, self.problems = self._stamps()
            known = self.pages
            if self._search is None and not self._rebuild:
                known = self._loaded()
            kept = {path: page for path, page in known.items() if (page.mtime, page.size) == stamps.get(path)}
            read = dict(self._read(path for path in stamps if path not in kept))
            changed = bool(read) or len(kept) != len(known)
            pages = dict(sorted({**kept, **read}.items()))
            if self._search is None:
                self._search = self._opened()
            if changed or len(self.pages) != len(pages):
                self._synchronize(pages)
            if changed:
                self._save(pages)
            self.pages = pages
        return Outcome(len(read), len(known.keys() - pages.keys()), time.perf_counter() - started)

    def close(self) -> None:
        if self._search is not None:
            self._search.close()

    def check(self) -> list[str]:
        """What is wrong with the kept index, in words; nothing where the next start will load it as it is."""
        try:
            about = orjson.loads(self.file.read_bytes()) if self.file is not None else None
        except FileNotFoundError:
            return ["there is no index yet"]
        except (OSError, orjson.JSONDecodeError) as fault:
            return [f"the index cannot be read: {type(fault).__name__}"]
        if about is None or not self._is_ours(about):
            return ["the index is of another version or another root, or its count is wrong"]
        stamps, problems = self._stamps()
        kept = {path: (entry["mtime"], entry["size"]) for path, entry in about["index"].items()}
        changed = [path for path in stamps if kept.get(path) not in (stamps[path], None)]
        return [
            *(f"{path} is new" for path in stamps if path not in kept),
            *(f"{path} has changed" for path in changed),
            *(f"{path} is gone" for path in kept if path not in stamps),
            *problems,
        ]

    def _stamps(self) -> tuple[dict[str, Stamp], tuple[str, ...]]:
        """The files, by path; and what was left out, and why."""
        found: dict[str, Stamp] = {}
        problems: list[str] = []
        for path in self._files():
            name = path.relative_to(self.root).as_posix()
            try:
                about = path.stat()
                is_inside = path.resolve().is_relative_to(self.root)
            except (OSError, RuntimeError):  # it went meanwhile, or is a link to itself
                continue
            if not is_inside:
                problems.append(f"{name} leads out of the folder, and is left out")
            elif about.st_size > LARGEST_FILE:
                problems.append(f"{name} is larger than {LARGEST_FILE} bytes, and is left out")
            elif len(found) >= MOST_PAGES:
                return found, (*problems, f"only the first {MOST_PAGES} pages are served")
            else:
                found[name] = (about.st_mtime, about.st_size)
        return found, tuple(problems)

    def _files(self) -> Iterator[Path]:
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
            for name in sorted(files):
                if os.path.splitext(name)[1].lower() in SUFFIXES and not name.startswith("."):  # noqa: PTH122  ten times as fast
                    yield Path(folder, name)

    def _read(self, paths: Iterator[str]) -> Iterator[tuple[str, Page]]:
        reader: Reader | None = None
        for path in paths:
            reader = reader or Reader()
            try:
                with (self.root / path).open("rb") as file:
                    about = os.fstat(file.fileno())
                    content = file.read(LARGEST_FILE).decode("utf-8", "replace")
            except OSError:
                continue
            text = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
            yield path, reader.read(path, text, mtime=about.st_mtime, size=about.st_size)

    def _loaded(self) -> dict[str, Page]:
        """The pages of the kept index; none where it is not one for this folder."""
        if self.file is None:
            return {}
        try:
            about = orjson.loads(self.file.read_bytes())
            return {path: _page(entry) for path, entry in about["index"].items()} if self._is_ours(about) else {}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            log.warning("docs_index_unreadable", reason=type(fault).__name__)
            return {}

    def _is_ours(self, about: Any) -> bool:
        wanted = {"version": INDEX_VERSION, "docs_root": str(self.root)}
        return (
            isinstance(about, dict)
            and wanted.items() <= about.items()
            and isinstance(about.get("index"), dict)
            and about.get("docs_count") == len(about["index"])
        )

    def _opened(self) -> SearchIndex:
        if self.file is not None:
            try:
                return SearchIndex(self.file.with_suffix(".sqlite3"))
            except (OSError, sqlite3.Error) as fault:
                log.warning("docs_index_not_kept", reason=type(fault).__name__, folder=str(self.file.parent))
                self.file = None
        return SearchIndex()

    def _synchronize(self, pages: Mapping[str, Page]) -> None:
        digest = hashlib.sha256(str(self.root).encode()).hexdigest()[:12]
        wanted = {path: f"{digest}:{page.mtime}:{page.size}" for path, page in pages.items()}
        known = self.search.versions()
        changed = [path for path, version in wanted.items() if known.get(path) != version]
        gone = known.keys() - wanted.keys()
        if changed or gone:
            self.search.write((_entry(pages[path], wanted[path]) for path in changed), gone)

    def _save(self, pages: Mapping[str, Page]) -> None:
        if self.file is None:
            return
        about = {
            "version": INDEX_VERSION,
            "built_at": datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "docs_root": str(self.root),
            "docs_count": len(pages),
            "index": {path: _as_json(page) for path, page in pages.items()},
        }
        draft = self.file.with_suffix(f".{os.getpid()}.tmp")
        try:
            draft.write_bytes(orjson.dumps(about))
            draft.replace(self.file)
        except OSError as fault:
            draft.unlink(missing_ok=True)
            log.warning("docs_index_not_kept", reason=type(fault).__name__, folder=str(self.file.parent))


def _entry(page: Page, version: str) -> Entry:
    headings = "\n".join(section.heading for section in page.sections)
    return Entry(page.path, page.title, headings, page.path, page.content, version)


def _as_json(page: Page) -> dict[str, Any]:
    sections = [
        {
            "heading": one.heading,
            "level": one.level,
            "content": page.text_of(one),
            "line_start": one.line_start,
            "line_end": one.line_end,
            "anchor": one.anchor,
        }
        for one in page.sections
    ]
    about = {"path": page.path, "title": page.title, "content": page.content, "sections": sections}
    return {**about, "mtime": page.mtime, "size": page.size, "word_count": page.word_count}


def _page(entry: Mapping[str, Any]) -> Page:
    sections = tuple(
        Section(one["heading"], one["level"], one["line_start"], one["line_end"], one["anchor"])
        for one in entry["sections"]
    )
    about = entry["path"], entry["title"], entry["content"], sections
    return Page(*about, entry["mtime"], entry["size"], entry["word_count"])
