"""Server-sent events, read from bytes that arrive in any pieces (WHATWG HTML, section 9.2.6)."""

import codecs

MOST_PENDING = 1_048_576  # characters of one event


class EventTooLong(ValueError):
    """An event that does not end."""


class EventParser:
    """Feed it bytes, get the data of every finished event."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._line = ""
        self._data: list[str] = []
        self._size = 0
        self._after_return = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[str]:
        """The data of the events that this piece completes. Raises EventTooLong."""
        text = self._decode(piece)
        if text and self._at_start:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        if text and self._after_return:
            self._after_return = False
            text = text.removeprefix("\n")  # the second half of a CRLF that was cut
        if text.endswith("\r"):
            self._after_return = True
        *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found = []
        for line in lines:
            event = self._take(self._line + line)
            self._line = ""
            found.extend(event)
        self._line += rest
        if self._size + len(self._line) > MOST_PENDING:
            raise EventTooLong
        return found

    def end(self) -> list[str]:
        """What is left when the stream ends: some servers leave out the last blank line."""
        self._take(self._line)
        self._line = ""
        return self._take("")

    def _take(self, line: str) -> list[str]:
        if not line:
            data, self._data, self._size = self._data, [], 0
            return ["\n".join(data)] if data else []
        field, _, value = line.partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
            self._size += len(value)
        return []
