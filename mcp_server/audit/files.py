"""Rows as JSON lines: a folder with one run of files for each chain, so that no two processes write into one file."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mcp_server.audit.chain import Row, Unreadable, instant, read_body, split_line
from mcp_server.audit.sinks import Head, Heads, Sink, SinkFailed
from mcp_server.audit.verifying import Controls, Report, Stored, Verifier

SUFFIX = ".jsonl"
TAIL = 64 * 1024
"""Longer than any row: the last whole line of a file is within its last so many bytes."""

MOST_HEADS = 50
_CONTROL_MARK = b'"event":"audit'


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a chain: `CHAIN.00001.jsonl`."""

    path: Path
    chain: str
    number: int


class FileSink(Sink):
    """Writes to `folder`. A file ends with the day (UTC) or when it has `max_bytes`, and another begins."""

    name, is_durable = "file", True

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._file: int | None = None
        self._path: Path | None = None
        self._day, self._size, self._number = "", 0, 0

    async def write(self, rows: Sequence[Row]) -> None:
        await asyncio.to_thread(self._write, rows)

    async def heads(self) -> Heads:
        return await asyncio.to_thread(self._heads)

    async def expired(self, before: float) -> Heads:
        return await asyncio.to_thread(self._expired, before)

    async def drop(self, cuts: Heads) -> None:
        await asyncio.to_thread(self._drop, cuts)

    async def aclose(self) -> None:
        self._close()

    def _write(self, rows: Sequence[Row]) -> None:
        try:
            file = self._opened(rows[0])
            data = b"".join(row.line + b"\n" for row in rows)
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
            self._size += len(data)
        except OSError as fault:
            self._step_back()
            raise SinkFailed(f"{type(fault).__name__}: {fault.strerror}") from None

    def _opened(self, row: Row) -> int:
        """The file for `row`: the one that is open, unless it is full, of yesterday, or was taken away."""
        day = instant(row.entry.time)[:10]
        if self._file is not None and (
            day > self._day or self._size >= self._max_bytes or not _is_at(self._file, self._path)
        ):
            self._close()
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._number += 1
            self._path = self._folder / f"{row.chain}.{self._number:05}{SUFFIX}"
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            self._day, self._size = day, 0
        return self._file

    def _step_back(self) -> None:
        """Take half-written rows away again: they will be written whole. Where not even that works, a file is left."""
        if self._file is None:
            return
        try:
            os.ftruncate(self._file, self._size)
        except OSError:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            closing, self._file = self._file, None  # given up whatever the disk says to it
            with suppress(OSError):
                os.close(closing)

    def _heads(self) -> Heads:
        with _as_sink_failed():
            last = {part.chain: part for part in parts(self._folder)}
            latest = sorted(last.values(), key=lambda part: part.path.stat().st_mtime)[-MOST_HEADS:]
            return {part.chain: head for part in latest if (head := _last_head(part.path)) is not None}

    def _expired(self, before: float) -> Heads:
        """Of the files that were last written before then, from the beginning of each chain without a hole."""
        kept: set[str] = set()
        old: dict[str, Part] = {}
        with _as_sink_failed():
            for part in parts(self._folder):
                if part.path.stat().st_mtime >= before or part.path == self._path:
                    kept.add(part.chain)
                elif part.chain not in kept:
                    old[part.chain] = part
            return {chain: head for chain, part in old.items() if (head := _last_head(part.path)) is not None}

    def _drop(self, cuts: Heads) -> None:
        with _as_sink_failed():
            for part in parts(self._folder):
                head = _last_head(part.path) if part.chain in cuts else None
                if head is not None and head.seq <= cuts[part.chain].seq:
                    part.path.unlink(missing_ok=True)


@contextmanager
def _as_sink_failed() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise SinkFailed(f"{type(fault).__name__}: {fault.strerror}") from None


def parts(folder: Path) -> list[Part]:
    """The files of the log, chain by chain, each chain in its order; chains in the order of their starts."""
    found = []
    for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
        chain, _, number = path.name.removesuffix(SUFFIX).rpartition(".")
        if chain and number.isdecimal():
            found.append(Part(path, chain, int(number)))
    return sorted(found, key=lambda part: (part.chain, part.number))


def stored_lines(path: Path, *, controls_only: bool = False) -> Iterator[Stored | str]:
    """The rows of a file; a line that is none is its place, and one that is not whole ends in `:torn`."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path.name}:{number}"
            if not line.endswith(b"\n"):
                yield f"{place}:torn"
            elif not controls_only or _CONTROL_MARK in line:
                try:
                    body, mark = split_line(line[:-1])
                except Unreadable:
                    yield place
                else:
                    yield Stored(place, body, mark)


def verify_files(folder: Path, controls: Controls) -> Report:
    """Every row of the folder. Raises `OSError`."""
    found = parts(folder)
    for part in found:
        for row in stored_lines(part.path, controls_only=True):
            if isinstance(row, Stored):
                controls.gather(row)
    verifier = Verifier(controls)
    last = {part.chain: part for part in found}
    for part in found:
        for row in stored_lines(part.path):
            if isinstance(row, Stored):
                verifier.feed(row)
            elif row.endswith(":torn") and last[part.chain] is part:
                verifier.report.torn += 1  # its process ended while the line was being written
            else:
                verifier.unreadable(row)
    return verifier.finish()


def _last_head(path: Path) -> Head | None:
    """The last whole row of the file."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        lines = file.read().split(b"\n")[:-1]
    try:
        body, mark = split_line(lines[-1] if lines else b"")
        return Head(read_body(body)["seq"], mark)
    except Unreadable:
        return None


def _is_at(file: int, path: Path | None) -> bool:
    try:
        return path is not None and os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
