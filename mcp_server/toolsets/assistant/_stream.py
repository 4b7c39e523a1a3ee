"""The assistant's stream: lines that begin with their kind, of which only the text of the answer is kept."""

import json
from typing import Final

TEXT: Final = b"0:"

IGNORED = frozenset({b"f:", b"9:", b"a:", b"e:", b"d:"})
"""Metadata, tool calls, tool results (whole pages of documentation), and how it finished."""

PREFIX = 2
LONGEST_LINE = 2 * 1024 * 1024
"""Bytes of one line of text. What is longer is dropped as it comes, as are all lines of another kind."""


class AnswerStream:
    """Takes the bytes of the stream in pieces of any size.

    `length` is that of the answer so far, in characters. `skipped` counts the lines that could not be used: of no known
    kind, too long, or not JSON.
    """

    def __init__(self) -> None:
        self.length, self.skipped = 0, 0
        self._texts, self._line, self._is_dropped = list[str](), bytearray(), False

    @property
    def text(self) -> str:
        """The answer so far. Halves of a surrogate pair that stood in two pieces are one sign again."""
        return "".join(self._texts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def feed(self, part: bytes) -> None:
        *ends, rest = part.split(b"\n")
        for piece in ends:
            self._take(piece)
            self.close()
        self._take(rest)

    def close(self) -> None:
        """The line ends here, as a last one without its sign does."""
        line = bytes(self._line)
        self._line.clear()
        is_dropped, self._is_dropped = self._is_dropped, False
        if is_dropped or not line.strip():
            return
        try:
            text = _text(line)
        except ValueError:
            self.skipped += 1
        else:
            self._texts.append(text)
            self.length += len(text)

    def _take(self, piece: bytes) -> None:
        if self._is_dropped:
            return
        self._line += piece
        kind = bytes(self._line[:PREFIX])
        is_unusable = len(self._line) > LONGEST_LINE or (len(kind) == PREFIX and kind != TEXT and kind not in IGNORED)
        self.skipped += is_unusable
        if is_unusable or kind in IGNORED:
            self._is_dropped = True
            self._line.clear()


def _text(line: bytes) -> str:
    """Raises `ValueError`: it is no line of text, not UTF-8, or its value is no string."""
    value = line.removeprefix(TEXT).decode().strip()
    if not line.startswith(TEXT) or not value.startswith('"'):  # what nests is not parsed at all
        raise ValueError
    return str(json.loads(value))
