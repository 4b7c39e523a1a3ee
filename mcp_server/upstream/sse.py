"""Server-sent events, read from bytes that arrive in any pieces (WHATWG HTML section 9.2.6). Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"


class EventTooLong(ValueError):
    """An event that does not end."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, if it has one, and its data."""

    name: str | None
    data: bytes


class EventReader:
    """Feed it bytes and get the events that they complete; comments, ids and retry times are passed over.

    `longest` bounds the bytes that are held for an event that has not ended.
    """

    def __init__(self, *, longest: int) -> None:
        self._longest = longest
        self._held: list[bytes] = []  # pieces of a line that has not ended, joined only once
        self._size = 0  # of what is held: of the lines before, and of the pieces
        self._data: list[bytes] = []
        self._name: str | None = None
        self._after_return = False
        self._at_start = True

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that `piece` completes.

        Raises:
            EventTooLong: more is held than may be.

        """
        if not piece:
            return
        if self._after_return:
            piece = piece.removeprefix(b"\n")  # the second half of a CRLF that was cut
        self._after_return = piece.endswith(b"\r")
        for line in self._lines(piece):
            yield from self._take(line)
        if self._size > self._longest:
            raise EventTooLong

    def _lines(self, piece: bytes) -> list[bytes]:
        """The lines that end in `piece`, without their ends."""
        self._held.append(piece)
        self._size += len(piece)
        if b"\n" not in piece and b"\r" not in piece:
            return []
        lines = b"".join(self._held).splitlines(keepends=True)
        rest = [] if lines[-1].endswith((b"\n", b"\r")) else [lines.pop()]
        self._size -= sum(len(held) for held in self._held) - sum(len(held) for held in rest)
        self._held = rest
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(BOM)
        return [line.rstrip(b"\r\n") for line in lines]

    def _take(self, line: bytes) -> Iterator[Event]:
        if not line:
            event = Event(self._name, b"\n".join(self._data)) if self._data else None
            self._size -= sum(len(data) for data in self._data)
            self._name, self._data = None, []
            if event is not None:
                yield event
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._size += len(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
