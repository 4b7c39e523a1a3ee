"""What the assistant said: of its stream the text alone is kept, and the links in that are made whole."""

import json
import re
from typing import Annotated, ClassVar
from urllib.parse import urljoin, urlsplit

from pydantic import Field

from mcp_server.errors import ToolFailure
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.quotations import quoted

TEXT = b"0:"
IGNORED = frozenset({b"f:", b"9:", b"a:", b"e:", b"d:"})
"""Metadata, tool calls, tool results (whole pages of documentation), and how it finished."""

LONGEST_LINE = 2 * 1024 * 1024
"""Bytes of one line of text. What is longer is dropped as it comes, as are all lines of another kind."""

_CODE = r"(?P<code>```.*?(?:```|\Z)|`[^`\n]{1,300}`)"
_USUAL = r"\[(?P<text>[^\[\]\n]{1,300})\]\((?P<target>[^()\s]{1,2000})\)"
_INVERTED = r"\((?P<label>[^()\n]{1,300})\)\[(?P<link>(?:https?://|/|\.{1,2}/)[^\[\]\s]{0,2000})\]"
_LINKS = re.compile(f"{_CODE}|{_USUAL}|{_INVERTED}", re.DOTALL)
"""Bounded, so that a hostile text is read in linear time."""

CUT = "It was cut, as too long or too slow, and is not remembered; ask a narrower question."
FORGOTTEN = "It is not remembered: say in the next question what this one was about."


class NoAnswer(ToolFailure):
    code: ClassVar[str] = "no_answer"


class AssistantAnswer(Answer):
    """What the assistant of a documentation answered."""

    project: str
    title: Annotated[str, Field(description="Name of the documentation.")]
    answer: Annotated[str, Field(description="Markdown, written by the assistant, with links to the documentation.")]
    is_complete: Annotated[bool, Field(description="Whether the answer was read to its end.")]
    is_remembered: Annotated[bool, Field(description="Whether the next question may refer to this one.")]
    skipped: Annotated[int, Field(description="Lines of the answer that could not be read, and are left out.")]
    untrusted: Untrusted = ("$.answer",)

    def as_text(self) -> str:
        said = [f"The assistant of the {self.title} documentation says:", quoted(self.answer)]
        if not self.is_remembered:
            said.append(FORGOTTEN if self.is_complete else CUT)
        return "\n\n".join([*said, *([f"Left out: {self.skipped} lines."] if self.skipped else [])])


class HistoryCleared(Answer):
    """The conversations that begin anew."""

    projects: Annotated[list[str], Field(description="Their ids.")]

    def as_text(self) -> str:
        return f"Nothing is remembered of conversations about: {', '.join(self.projects)}"


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
        line, is_dropped = bytes(self._line), self._is_dropped
        self._line, self._is_dropped = bytearray(), False
        if is_dropped or not line.strip():
            return
        try:
            text = line.removeprefix(TEXT).decode().strip()
            if not line.startswith(TEXT) or not text.startswith('"'):  # what nests is not parsed at all
                raise ValueError  # noqa: TRY301  told as what is not JSON
            self._texts.append(json.loads(text))
            self.length += len(self._texts[-1])
        except ValueError:
            self.skipped += 1

    def _take(self, piece: bytes) -> None:
        if self._is_dropped:
            return
        self._line += piece
        kind = bytes(self._line[: len(TEXT)])
        if kind in IGNORED or (len(kind) == len(TEXT) and kind != TEXT) or len(self._line) > LONGEST_LINE:
            self.skipped += kind not in IGNORED
            self._line, self._is_dropped = bytearray(), True


def whole_links(text: str, docs_url: str) -> str:
    """`text` with `(text)[url]` as `[text](url)`, and relative links below `docs_url`, where that is known.

    Code stays as it is.
    """

    def link(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        return f"[{found['text'] or found['label']}]({_absolute(found['target'] or found['link'], docs_url)})"

    return _LINKS.sub(link, text)


def _absolute(target: str, docs_url: str) -> str:
    """An address from the root is one of the documentation, which need not be the root of its host."""
    if not docs_url or target.startswith("//") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return target
    base, folder = f"{docs_url}/", urlsplit(docs_url).path
    is_below = bool(folder) and re.match(rf"{re.escape(folder)}(?=[/?#]|$)", target) is not None
    return urljoin(base, target if is_below else target.lstrip("/"))
