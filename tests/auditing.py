"""What tests of the audit log share: rows of a made-up day, and a sink that fails when it is told to."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson

from mcp_server.audit.chain import Chain, ChainKey, Row
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import stored_lines, verify_files
from mcp_server.audit.recorder import Recorder
from mcp_server.audit.sinks import Head, Heads, Sink, SinkFailed
from mcp_server.audit.verifying import Controls, Report, Stored

KEY = ChainKey.derived("a secret of this installation, long enough")
NAME = "20261120T090000Z-00000001"


class Memory(Sink):
    """Keeps rows in a list; `failures` is how often it fails first, `others` are heads of other chains."""

    name: ClassVar[str] = "memory"
    is_durable: ClassVar[bool] = True

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.is_down = False
        self.others: dict[str, Head] = {}
        self.old: dict[str, Head] = {}
        self.dropped: list[Heads] = []
        self.rows_when_dropped = 0

    async def write(self, rows: Sequence[Row]) -> None:
        if self.is_down:
            raise SinkFailed("it is down")
        self.rows += rows

    async def heads(self) -> Heads:
        return dict(self.others)

    async def expired(self, before: float) -> Heads:
        return dict(self.old)

    async def drop(self, cuts: Heads) -> bool:
        self.rows_when_dropped = len(self.rows)
        self.dropped.append(cuts)
        self.old = {}
        return False

    @property
    def events(self) -> list[str]:
        return [str(row.entry.event) for row in self.rows]


def call(number: int = 0) -> Entry:
    """One successful call of a tool."""
    return Entry(Event.TOOL_SUCCESS, subject="ada", client="client", tool="say", ms=1.5, reason=str(number))


def begun(chain: Chain, **heads: Head) -> Row:
    told = {name: {"seq": head.seq, "hash": head.hash} for name, head in heads.items()}
    return chain.add(Entry(Event.AUDIT_START, detail={"key": chain.key.id, "heads": told}))


def log_of(count: int, key: ChainKey = KEY, name: str = NAME) -> Iterator[Row]:
    """A whole chain of `count` calls, begun and ended."""
    chain = Chain(name, key)
    yield begun(chain)
    for number in range(count):
        yield chain.add(call(number))
    yield chain.add(Entry(Event.AUDIT_END))


def found(row: Row) -> Stored:
    """`row` as it would be read back."""
    return Stored(f"{row.chain}#{row.seq}", row.body, row.hash)


def written(folder: Path, rows: Sequence[Row]) -> Path:
    """The rows of one chain in one file of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{rows[0].chain}.00001.jsonl"
    path.write_bytes(b"".join(row.line + b"\n" for row in rows))
    return path


def verified(folder: Path, *keys: ChainKey) -> Report:
    return verify_files(folder, Controls(keys or [KEY]))


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """Everything that is in the files of `folder`, in order."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in stored_lines(path)]
    return [orjson.loads(line.body) for line in lines if isinstance(line, Stored)]


def queued(recorder: Recorder) -> list[Entry]:
    """What the sinks have not acknowledged yet, oldest first."""
    writers = recorder.writers
    return [entry for each in writers for entry in (*(row.entry for row in each._retried), *each._queue)]
