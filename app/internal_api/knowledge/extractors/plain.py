"""Text, Markdown and RTF: find the encoding, tell text from binary rubbish, and leave out pictures, fonts and styles;
and what every extractor returns.
"""

import codecs
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.internal_api.knowledge.documents import SourceRefused

MAX_CHARACTERS = 3_000_000  # any text that `add_knowledge` takes; more is a library, to be given book by book
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The WHATWG encoding standard: what calls itself Latin-1 or ASCII is windows-1252, or the web is unreadable.
LATIN = frozenset({"iso8859-1", "ascii", "cp1252"})
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
# Three accents in a row, or a sign inside a word: another code page than that of western Europe.
_SIGN = r"[\xa1-\xb1\xb3\xb5\xb6\xb8\xb9\xbc-\xbf]"
GARBLED = re.compile(rf"[\xc0-\xff]{{3}}|[^\W\d_]{_SIGN}[^\W\d_]|\W[\xa3\xa5\xaf][a-z\xe0-\xff]{{2}}")
MAX_CONTROL_SHARE = 0.01  # a stray form feed or bell is no reason to refuse a text
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
FIRST_HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The readable text of a source: pages when `paged`, else one part. Headings are `# ` lines."""

    parts: tuple[str, ...]
    title: str | None = None
    paged: bool = False


def bounded(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces as they are read, so that a bomb stops early. Raises `SourceRefused`: `too_large`."""
    left = MAX_CHARACTERS
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            said = f"The text is longer than {MAX_CHARACTERS:,} characters. Give it in several parts."
            raise SourceRefused("too_large", said)
        yield piece


def check_count(count: int, limit: int, what: str) -> None:
    """Raises SourceRefused: `too_large`; before parsing, which may cost the square of what it meets."""
    if count > limit:
        raise SourceRefused("too_large", f"The source has more than {limit:,} {what}. Give it in several parts.")


def decode_text(data: bytes, charset: str | None = None) -> str:
    """Read bytes as text: byte order mark, declared charset, UTF-8, windows-1252, in this order.

    Raises `SourceRefused`: `not_text`.
    """
    text = _decoded(data, charset)
    if len(CONTROLS.findall(text)) > max(1, len(text) * MAX_CONTROL_SHARE):
        raise SourceRefused("not_text", "The source is not readable text.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, charset: str | None) -> str:
    for mark, name in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, errors="replace")
    for codec in filter(None, (_codec(charset), "utf-8")):
        with suppress(UnicodeDecodeError):
            return data.decode(codec)
    text = data.decode("cp1252", errors="replace")
    if len(GARBLED.findall(text)) > max(2, len(text) * MAX_CONTROL_SHARE):
        raise SourceRefused(
            "not_text", "The text is in an encoding that is not told. Save it as UTF-8 and give it again."
        )
    return text


def _codec(charset: str | None) -> str | None:
    """Python's name for a charset that really is one: `rot13` and `zip` are codecs too."""
    try:
        info = codecs.lookup((charset or "").strip("\"' \t"))
    except (LookupError, ValueError):  # unknown, or a name with a NUL in it
        return None
    if not getattr(info, "_is_text_encoding", True) or info.name in {"idna", "punycode", "undefined"}:
        return None
    return "cp1252" if info.name in LATIN else info.name


def extract_plain(data: bytes, charset: str | None) -> Extracted:
    return Extracted((decode_text(data, charset),))


def extract_markdown(data: bytes, charset: str | None) -> Extracted:
    body = FRONT_MATTER.sub("", decode_text(data, charset), count=1)
    heading = FIRST_HEADING.search(body)
    return Extracted((body,), title=heading.group(1).rstrip(" #") if heading else None)


TOKEN = re.compile(
    r"\\'(?P<hex>[0-9a-fA-F]{2})|\\u(?P<code>-?\d{1,6}) ?|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    r"|\\(?P<symbol>[^a-zA-Z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_WORDS = tomllib.loads(Path(__file__).with_name("rtf.toml").read_text(encoding="utf-8"))
BREAKS, CHARACTERS, SYMBOLS = _WORDS["breaks"], _WORDS["characters"], _WORDS["symbols"]
SILENT = frozenset(_WORDS["silent"])
SURROGATES = 0x10000


def extract_rtf(data: bytes, _charset: str | None) -> Extracted:
    """RTF itself is ASCII, and is read as Latin text."""
    said: list[str] = []
    silent = [False]  # one entry for each open group
    repeats = False  # the next character only repeats a \\u code for older readers
    for token in TOKEN.finditer(data.decode("latin-1")):
        word, symbol = token["word"], token["symbol"]
        if token["brace"] == "{":
            silent.append(silent[-1])
        elif token["brace"] and len(silent) > 1:
            silent.pop()
        silent[-1] |= word in SILENT or symbol == "*"  # "ignore this group if you do not know it"
        if not silent[-1]:
            said.append(_said(token, 1 if repeats else 0))
        repeats = bool(token["code"] or (repeats and (word or symbol)))
    # Characters beyond the first plane arrive as two surrogates.
    return Extracted(("".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "replace"),))


def _said(token: re.Match[str], skip: int) -> str:
    """What a token stands for, without the `skip` characters at the beginning of a text."""
    if token["code"]:
        return chr(int(token["code"]) % SURROGATES)
    if token["hex"]:
        return bytes.fromhex(token["hex"]).decode("cp1252", "replace")[skip:]
    word: str | None = BREAKS.get(token["word"]) or CHARACTERS.get(token["word"])
    return word or SYMBOLS.get(token["symbol"]) or (token["text"] or "")[skip:]
