"""The pages of a folder and the index to search them, kept in a file between starts and brought up to date by file.

The file is the one of the ServeMD document ("Index Format"); the full-text index, which it cannot hold, stands beside.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import structlog

from mcp_server.search.index import Entry, SearchIndex
from mcp_server.toolsets.docs.pages import Page, Reader, Section, text_of

INDEX_VERSION = "1.0"
INDEX_FILE = Path("mcp", "search-index.json")
SUFFIXES = (".md", ".markdown", ".mdx")
INDEX_MEMBER, LONGEST_HEAD = b',"index":', 8_192
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
            known: Collection[str] = self.pages
            if self._search is None:
                self._search = self._opened()
                known = self._search.kept()
                is_kept = not self._rebuild and self._is_valid(self._head(), len(known))
                self.pages = self._loaded() if is_kept else {}
            kept = {path: page for path, page in self.pages.items() if (page.mtime, page.size) == stamps.get(path)}
            removed = set(known) - stamps.keys()
            changed = [path for path in stamps if path not in kept]
            read: dict[str, Page] = {}
            if changed or removed:
                self.search.write(self._entries(changed, read), removed)
                self.pages = dict(sorted({**kept, **read}.items()))
                self._save()
        return Outcome(len(read), len(removed), time.perf_counter() - started)

    def content(self, page: Page) -> str:
        """Its text; empty where it went this moment."""
        return self.search.body(page.path) or ""

    def close(self) -> None:
        if self._search is not None:
            self._search.close()

    def check(self) -> list[str]:
        """What is wrong with the kept index, in words; nothing where the next start will load it as it is."""
        try:
            about = orjson.loads(self.file.read_bytes()) if self.file is not None else {}
        except FileNotFoundError:
            return ["there is no index yet"]
        except (OSError, orjson.JSONDecodeError) as fault:
            return [f"the index cannot be read: {type(fault).__name__}"]
        index = about.get("index") if isinstance(about, dict) else None
        if not isinstance(index, dict) or not self._is_valid(about, len(index)):
            return ["the index is of another version or another root, or its count is wrong"]
        stamps, problems = self._stamps()
        kept = {path: (entry["mtime"], entry["size"]) for path, entry in index.items()}
        return [
            *(f"{path} is new" for path in stamps if path not in kept),
            *(f"{path} has changed" for path in stamps if kept.get(path) not in (stamps[path], None)),
            *(f"{path} is gone" for path in kept if path not in stamps),
            *problems,
        ]

    def _stamps(self) -> tuple[dict[str, Stamp], tuple[str, ...]]:
        """The files, by path; and what was left out, and why."""
        found: dict[str, Stamp] = {}
        problems: list[str] = []
        for name, entry in self._files(self.root, ""):
            try:
                about = entry.stat()
                is_inside = not entry.is_symlink() or Path(entry.path).resolve().is_relative_to(self.root)
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

    def _files(self, folder: Path | str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # it went meanwhile, or nobody may read it
            return
        for entry in inside:
            if entry.name.startswith(".") or entry.name == "node_modules":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._files(entry.path, f"{prefix}{entry.name}/")
            elif entry.name.lower().endswith(SUFFIXES):
                yield prefix + entry.name, entry

    def _entries(self, paths: Iterable[str], read: dict[str, Page]) -> Iterator[Entry]:
        """One file after the other, whose pages go into `read`."""
        reader = Reader()
        for path in paths:
            try:
                with (self.root / path).open("rb") as file:
                    about = os.fstat(file.fileno())
                    content = file.read(LARGEST_FILE).decode("utf-8", "replace")
            except OSError:
                continue
            text = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
            read[path] = page = reader.read(path, text, mtime=about.st_mtime, size=about.st_size)
            yield _entry(page, text)

    def _head(self) -> Any:
        """The first members of the kept index, which tell whether it is for this folder."""
        if self.file is None:
            return None
        try:
            with self.file.open("rb") as file:
                return orjson.loads(file.read(LONGEST_HEAD).partition(INDEX_MEMBER)[0] + b"}")
        except FileNotFoundError:
            return None
        except (OSError, orjson.JSONDecodeError) as fault:
            log.warning("docs_index_unreadable", reason=type(fault).__name__)
            return None

    def _is_valid(self, about: Any, count: int) -> bool:
        wanted = {"version": INDEX_VERSION, "docs_root": str(self.root), "docs_count": count}
        return isinstance(about, dict) and wanted.items() <= about.items()

    def _loaded(self) -> dict[str, Page]:
        try:
            return {path: _page(path, data) for path, data in self.search.kept().items()}
        except (ValueError, TypeError) as fault:
            log.warning("docs_index_unreadable", reason=type(fault).__name__)
            return {}

    def _opened(self) -> SearchIndex:
        if self.file is not None:
            try:
                return SearchIndex(self.file.with_suffix(".sqlite3"))
            except (OSError, sqlite3.Error) as fault:
                log.warning("docs_index_not_kept", reason=type(fault).__name__, folder=str(self.file.parent))
                self.file = None
        return SearchIndex()

    def _save(self) -> None:
        if self.file is None:
            return
        built_at = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        root, count = str(self.root), len(self.pages)
        head = {"version": INDEX_VERSION, "built_at": built_at, "docs_root": root, "docs_count": count}
        draft = self.file.with_suffix(f".{os.getpid()}.tmp")
        try:
            with draft.open("wb") as file:  # page by page: all of them at once would be in memory twice
                file.write(orjson.dumps(head)[:-1] + INDEX_MEMBER + b"{")
                for number, page in enumerate(self.pages.values()):
                    about = orjson.dumps(_as_json(page, self.content(page)))
                    file.write(b"," * (number > 0) + orjson.dumps(page.path) + b":" + about)
                file.write(b"}}")
            draft.replace(self.file)
        except OSError as fault:
            draft.unlink(missing_ok=True)
            log.warning("docs_index_not_kept", reason=type(fault).__name__, folder=str(self.file.parent))


def _entry(page: Page, content: str) -> Entry:
    sections = [tuple(_fields(one).values()) for one in page.sections]
    data = orjson.dumps([page.title, sections, page.mtime, page.size, page.word_count])
    headings = "\n".join(section.heading for section in page.sections)
    return Entry(page.path, page.title, headings, page.path, content, data=data)


def _page(path: str, data: bytes) -> Page:
    title, sections, mtime, size, words = orjson.loads(data)
    return Page(path, title, tuple(Section(*one) for one in sections), mtime, size, words)


def _as_json(page: Page, content: str) -> dict[str, Any]:
    sections = [{**_fields(one), "content": text_of(one, content)} for one in page.sections]
    return {**_fields(page), "content": content, "sections": sections}


def _fields(of: Page | Section) -> dict[str, Any]:
    """As `asdict`, which copies all that is below, too, and takes long for as many sections."""
    return {name: getattr(of, name) for name in of.__slots__}
