"""A folder of files that are kept for a while. What is not its own it leaves alone, wherever it finds it."""

import asyncio
import contextlib
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

FOLDER = "exports"
MEDIA_TYPE = ".media-type"
"""Beside each file, a file that says what it is. No published name begins with a dot."""

MOST_BYTES = 1024 * 1024 * 1024
MOST_FILES = 10_000
GRACE = 60.0
"""Seconds after the end of a lifetime in which a download that has begun may still open its file."""

SWEEP_EVERY = 600.0

_ID = re.compile(r"[0-9a-f]{32}")
_OWN = re.compile(r"\.?[0-9a-f]{32}")  # a dot, while it is being written

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file on the shelf; `expires` is in seconds since 1970."""

    id: str
    path: Path
    media_type: str
    expires: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder of ours: since when it is there, and the bytes in it."""

    since: float
    size: int
    path: str


class FileStore:
    """Keeps each file in a folder of its own, whose name nobody can guess, for `lifetime` seconds.

    Processes that share a folder share a shelf. When it is full, the oldest go first. `now` is the wall clock, because
    the times of files are.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        lifetime: float,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._root = data_dir.absolute() / FOLDER
        self._lifetime, self._most_bytes, self._most_files, self._now = lifetime, most_bytes, most_files, now

    def put(self, name: str, media_type: str, content: bytes) -> StoredFile:
        """Keep `content`; `name` is a safe file name. The file appears whole or not at all."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._remove(self._outdated(room_for=len(content)))
        identity, now = secrets.token_hex(16), self._now()
        draft, place = self._root / f".{identity}", self._root / identity
        draft.mkdir(mode=0o700)
        _write(draft / MEDIA_TYPE, media_type.encode())
        _write(draft / name, content)
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

    def sweep(self) -> None:
        """Remove what has expired, and the oldest of what is too much."""
        self._remove(self._outdated(room_for=0))

    @asynccontextmanager
    async def sweeping(self) -> AsyncIterator[None]:
        """Sweep now and then until the block is left."""
        task = asyncio.create_task(self._sweep_for_ever())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _sweep_for_ever(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.sweep)
            except OSError as error:
                log.warning("exports_not_swept", reason=type(error).__name__)
            await asyncio.sleep(SWEEP_EVERY)

    def _outdated(self, *, room_for: int) -> list[str]:
        places = sorted(self._places(), key=lambda place: place.since)
        size, number, oldest = sum(place.size for place in places) + room_for, len(places), self._now()
        oldest -= self._lifetime + GRACE
        found = []
        for place in places:
            if place.since >= oldest and size <= self._most_bytes and number < self._most_files:
                break
            found.append(place.path)
            size, number = size - place.size, number - 1
        return found

    def _places(self) -> Iterator[_Place]:
        with contextlib.suppress(FileNotFoundError), os.scandir(self._root) as entries:
            for entry in entries:
                if _OWN.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    with contextlib.suppress(OSError):  # another process sweeps, too
                        yield _Place(entry.stat().st_mtime, _size(entry.path), entry.path)

    def _remove(self, places: list[str]) -> None:
        for place in places:
            try:
                _clear(place)
            except FileNotFoundError:  # another process was faster
                continue
            except OSError as error:
                log.warning("export_not_removed", reason=type(error).__name__)


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _size(place: str) -> int:
    with os.scandir(place) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)


def _clear(place: str) -> None:
    """Remove a folder of ours: the files in it, and itself if nothing else was put there."""
    with os.scandir(place) as entries:
        files = [entry.path for entry in entries if not entry.is_dir(follow_symlinks=False)]
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            Path(file).unlink()
    with contextlib.suppress(OSError):  # somebody else's folder is in it
        Path(place).rmdir()
