"""Rows as JSON lines: a folder with one run of files for each chain, so that no two processes write into one file."""

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mcp_server.audit.chain import Row, Unreadable, instant, read_body, split_line
from mcp_server.audit.sinks import Head, Heads, Sink, SinkFailed
from mcp_server.audit.verifying import Controls, Report, Stored, Verifier

AUDIT_KEY = "audit.key"
"""The file in DATA_DIR that marks rows where there is no SECRET_KEY."""

FILE_NAME = re.compile(r"(.+)\.(\d+)\.jsonl")
TAIL = 64 * 1024
"""Longer than any row: the last whole line of a file is within its last so many bytes."""

MOST_HEADS = 50
CONTROL_MARK = b'"event":"audit'

Result = TypeVar("Result")
P = ParamSpec("P")


def folder_of(data_dir: Path) -> Path:
    return data_dir / "audit"


def _in_thread(method: Callable[P, Result]) -> Callable[P, Coroutine[Any, Any, Result]]:
    @wraps(method)
    async def threaded(*arguments: P.args, **named: P.kwargs) -> Result:
        try:
            return await asyncio.to_thread(method, *arguments, **named)
        except OSError as fault:
            raise SinkFailed(f"{type(fault).__name__}: {fault.strerror}") from None

    return threaded


class FileSink(Sink):
    """Writes to `folder`. A file ends with the day (UTC) or when it has `max_bytes`, and another begins."""

    name, is_durable = "file", True

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._file: int | None = None
        self._path = folder
        self._day, self._size, self._number = "", 0, 0

    async def aclose(self) -> None:
        self._close()

    @_in_thread
    def write(self, rows: Sequence[Row]) -> None:
        file = self._opened(rows[0])
        data = b"".join(row.line + b"\n" for row in rows)
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        except OSError:
            # The rows will be written whole. Where not even that can be undone, the file is left.
            try:
                os.ftruncate(file, self._size)
            except OSError:
                self._close()
            raise
        self._size += len(data)

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
            self._path = self._folder / f"{row.chain}.{self._number:05}.jsonl"
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            self._day, self._size = day, 0
        return self._file

    def _close(self) -> None:
        if self._file is not None:
            closing, self._file = self._file, None  # given up whatever the disk says to it
            with suppress(OSError):
                os.close(closing)

    @_in_thread
    def heads(self) -> Heads:
        last = {chain: paths[-1] for chain, paths in chain_files(self._folder).items()}
        latest = sorted(last, key=lambda chain: last[chain].stat().st_mtime)[-MOST_HEADS:]
        return {chain: head for chain in latest if (head := _last_head(last[chain])) is not None}

    @_in_thread
    def expired(self, before: float) -> Heads:
        """Of the files that were last written before then, from the beginning of each chain without a hole."""
        heads = {}
        for chain, paths in chain_files(self._folder).items():
            for path in paths:
                if path == self._path or path.stat().st_mtime >= before:
                    break
                if (head := _last_head(path)) is not None:
                    heads[chain] = head
        return heads

    @_in_thread
    def drop(self, cuts: Heads) -> bool:
        files = chain_files(self._folder)
        for chain, cut in cuts.items():
            for path in files.get(chain, ()):
                if (head := _last_head(path)) is not None and head.seq <= cut.seq:
                    path.unlink(missing_ok=True)
        return False


def chain_files(folder: Path) -> dict[str, list[Path]]:
    """The files of each chain in their order; chains in the order of their starts."""
    named = [(found[1], int(found[2]), path) for path in folder.glob("*") if (found := FILE_NAME.fullmatch(path.name))]
    chains: dict[str, list[Path]] = {}
    for chain, _number, path in sorted(named):
        chains.setdefault(chain, []).append(path)
    return chains


def stored_lines(path: Path, *, controls_only: bool = False) -> Iterator[Stored | str]:
    """The rows of a file; a line that is none is its place, and one that is not whole ends in `:torn`."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path.name}:{number}"
            if not line.endswith(b"\n"):
                yield f"{place}:torn"
            elif not controls_only or CONTROL_MARK in line:
                try:
                    yield Stored(place, *split_line(line[:-1]))
                except Unreadable:
                    yield place


def verify_files(folder: Path, controls: Controls) -> Report:
    """Every row of the folder. Raises `OSError`."""
    chains = chain_files(folder)
    files = [path for paths in chains.values() for path in paths]
    for path in files:
        for row in stored_lines(path, controls_only=True):
            if isinstance(row, Stored):
                controls.gather(row)
    verifier = Verifier(controls)
    last = [paths[-1] for paths in chains.values()]
    for path in files:
        for row in stored_lines(path):
            if isinstance(row, Stored):
                verifier.feed(row)
            elif row.endswith(":torn") and path in last:
                verifier.report.torn += 1  # its process ended while the line was being written
            else:
                verifier.unreadable(row)
    return verifier.finish()


def _last_head(path: Path) -> Head | None:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        lines = file.read().split(b"\n")[:-1]
    try:
        body, mark = split_line(lines[-1] if lines else b"")
        return Head(read_body(body)["seq"], mark)
    except Unreadable:
        return None


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
