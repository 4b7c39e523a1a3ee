"""Files that are handed to people by a link, and the folder in which they are kept for a while."""

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog

from mcp_server.toolkit.tasks import beside

FOLDER = "exports"
MEDIA_TYPE = ".media-type"
"""Beside each file, a file that says what it is. No published name begins with a dot."""

GRACE = 60.0
"""Seconds after the end of a lifetime in which a download that has begun may still open its file."""

SWEEP_EVERY = 600.0

LONGEST_NAME = 120  # bytes. File systems take 255; links are read by people, too.

LONGEST_SUFFIX = 8
FORBIDDEN = frozenset('/\\:*?"<>|')
"""In the names of files, on one system or another."""

_ID = re.compile(r"[0-9a-f]{32}")
_OWN = re.compile(r"\.?[0-9a-f]{32}")  # a dot, while it is being written

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the store; `expires` is in seconds since 1970."""

    id: str
    path: Path
    media_type: str
    expires: int


class FileStore:
    """Keeps each file in a folder of its own, whose name nobody can guess, for `lifetime` seconds.

    Processes that share a folder share a store. When it is full, the oldest go first. What is not its own it leaves
    alone, wherever it finds it. `now` is the wall clock, because the times of files are.
    """

    most_bytes, most_files = 1024 * 1024 * 1024, 10_000

    def __init__(self, data_dir: Path, *, lifetime: float, now: Callable[[], float] = time.time) -> None:
        self._root, self._lifetime, self.now = data_dir.absolute() / FOLDER, lifetime, now

    def put(self, name: str, media_type: str, content: bytes) -> StoredFile:
        """Keep `content`; `name` is a safe file name. The file appears whole or not at all."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.sweep(room_for=len(content))
        identity, now = secrets.token_hex(16), self.now()
        draft, place = self._root / f".{identity}", self._root / identity
        draft.mkdir(mode=0o700)
        for path, data in ((draft / MEDIA_TYPE, media_type.encode()), (draft / name, content)):
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
        os.utime(draft, (now, now))
        draft.rename(place)
        return StoredFile(identity, place / name, media_type, int(now + self._lifetime))

    def find(self, identity: str, name: str) -> StoredFile | None:
        """The file that was kept under both, if it still is there."""
        place = self._root / identity
        if _ID.fullmatch(identity) is None or Path(name).name != name or name.startswith("."):
            return None
        try:
            if not (place / name).is_file():
                return None
            media_type = (place / MEDIA_TYPE).read_text()
            return StoredFile(identity, place / name, media_type, int(place.stat().st_mtime + self._lifetime))
        except (OSError, ValueError):  # removed in this moment; a name that no file can have
            return None

    def sweep(self, *, room_for: int = 0) -> None:
        """Remove what has expired, and the oldest of what is too much beside `room_for` bytes more."""
        places = []
        for place in self._root.iterdir() if self._root.exists() else ():
            if _OWN.fullmatch(place.name) and place.is_dir() and not place.is_symlink():
                with contextlib.suppress(OSError):  # another process sweeps, too
                    places.append((place.stat().st_mtime, sum(file.lstat().st_size for file in place.iterdir()), place))
        size, number = sum(size for _, size, _ in places) + room_for, len(places)
        outdated = self.now() - self._lifetime - GRACE
        for since, its_size, place in sorted(places):
            if since >= outdated and size <= self.most_bytes and number < self.most_files:
                break
            size, number = size - its_size, number - 1
            shutil.rmtree(place, ignore_errors=True)  # another process may be faster

    def sweeping(self) -> AbstractAsyncContextManager[None]:
        """Sweep now and then until the block is left."""
        return beside(self._sweep_for_ever())

    async def _sweep_for_ever(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.sweep)
            except OSError as error:
                log.warning("exports_not_swept", reason=type(error).__name__)
            await asyncio.sleep(SWEEP_EVERY)


@dataclass(frozen=True, slots=True)
class Link:
    """Where a file is, and the ISO 8601 time until which it is there."""

    url: str
    expires_at: str


class Files(Protocol):
    """Publishes what a tool has made."""

    async def publish(self, file_name: str, media_type: str, content: bytes, *, of: str = "") -> Link:
        """Keep `content` for a while, and say where; `file_name` is made safe, so it may hold what people wrote.

        `of` is the id of the panel that it tells of: once that is known to be deleted, the link leads nowhere.
        """


class LocalFiles:
    """For a client on the same machine and of the same user: the link is the file's own place."""

    def __init__(self, store: FileStore) -> None:
        self._store = store

    async def publish(self, file_name: str, media_type: str, content: bytes, *, of: str = "") -> Link:  # noqa: ARG002  it is the user's own file
        kept = await asyncio.to_thread(self._store.put, safe_name(file_name), media_type, content)
        return Link(kept.path.as_uri(), timestamp(kept.expires))


def timestamp(seconds: float) -> str:
    """Seconds since 1970 in the form that the internal API uses, too."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def safe_name(text: str) -> str:
    """`text` as the name of one file that every system takes: printable, of bounded length, its suffix kept."""
    line = " ".join("".join(map(_safe, text)).split())
    stem, dot, suffix = line.rpartition(".")
    if not (dot and suffix.isascii() and suffix.isalnum() and len(suffix) <= LONGEST_SUFFIX):
        stem, suffix = line, ""
    ending = f".{suffix}" if suffix else ""
    cut = stem.strip(". ").encode()[: LONGEST_NAME - len(ending)].decode(errors="ignore")
    return f"{cut.strip('. ') or 'file'}{ending}"


def _safe(character: str) -> str:
    if character in FORBIDDEN:
        return "-"
    return character if character.isprintable() else " " * character.isspace()
