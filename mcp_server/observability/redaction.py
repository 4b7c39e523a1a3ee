"""What may stand in a log: no secrets, by the name of the field and by the shape of the text; and the text of strangers
on one line, in order, and not without end. Pure.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from structlog.typing import EventDict

REDACTED = "[redacted]"

SECRET_NAMES = re.compile(
    r"(?i)authorization|cookie|token|secret|passw|api[_-]?key|credential|assertion|verifier|(auth|device|user)[_-]?code"
)
ERROR_CODE = re.compile(r"[A-Z]+\d{0,3}(?:_[A-Z]*\d{0,3})*|[a-z]+(?:[_.-][a-z]*\d{0,3})*|[0-9A-Z]{5}")
"""What a field `code` may hold beside numbers: words of one case, and SQLSTATE. Anything else may be an OAuth code."""

SECRET_SHAPES = re.compile(
    r"(?:minds|aox)_[0-9A-Za-z]{8,}"
    r"|minds_rt_[A-Za-z0-9_-]{8,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}"
    r"|(?<=://)[^/\s@]+(?=@)"
)
"""Our keys and refresh tokens, keys of language models, credentials behind their scheme, JWTs, of which a long line may
hold only the beginning, and the user part of a URL.
"""

SECRET_PARAMETERS = re.compile(
    r"(?i)([?&](?:code|state|token|key|\w+_token|api_key|client_secret|code_verifier|password)=)[^&\s#\"']+"
)
"""What OAuth and careless clients put into a query."""

HINTS = ("minds_", "aox_", "sk-", "bearer", "basic", "eyj", "://", "=")
"""One of these stands in all that the expressions match. Nearly every text has none, and is spared them."""

PLAIN_NAMES = frozenset({"tokens", "max_tokens", "token_count", "event"})


LONGEST = 2_000
"""Characters of one value. Whoever needs more of a request has it; a log has room for many."""

READ = 8  # times as much is read of a value, for what is redacted in it

PLAIN_KINDS = frozenset({int, float, bool, str, type(None)})

OWN_TEXT = frozenset({"exception", "stack"})
"""Traces, which have lines. They were made here."""


def redact(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The processor for all that is logged: no secrets, and nothing that could be taken for another line."""
    if _are_plain_names(tuple(event)):
        # One look at all of the line: nearly every line has nothing that wants a second one.
        has_plain_kinds = PLAIN_KINDS.issuperset(map(type, event.values()))
        if has_plain_kinds and is_plain(" ".join([value for value in event.values() if type(value) is str])):
            return event
    return {
        name: redact_text(value) if name in OWN_TEXT and isinstance(value, str) else clean(name, value)
        for name, value in event.items()
    }


def clean(name: str, value: Any, longest: int = LONGEST) -> Any:
    """`value` without secrets, by the name of the field and by the shape of the text, and sanitized, however deep."""
    if value is None or isinstance(value, bool):
        return value
    if _is_secret(name, value):
        return REDACTED
    if isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {shown(_as_text(key), longest): clean(_as_text(key), part, longest) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        if len(items) == 2 and isinstance(items[0], str | bytes) and _is_secret(_as_text(items[0]), items[1]):  # noqa: PLR2004  a pair
            return [clean(name, items[0], longest), REDACTED]  # as headers are
        return [clean(name, item, longest) for item in items]
    return shown(_as_text(value), longest)


def shown(text: str, longest: int) -> str:
    """`text` redacted, then sanitized and cut, since what is cut off may be what a secret is recognised by: so of the
    front that is read of a long text, the end is not shown.
    """
    read = READ * longest
    if len(text) <= read:
        return sanitized(redact_text(text), longest)
    front = redact_text(text[:read])[:-longest][:longest]
    return sanitized(f"{front}… ({len(text)} characters)", read)


def _is_secret(name: str, value: Any) -> bool:
    if name.lower() == "code":
        return not isinstance(value, int) and not (isinstance(value, str) and ERROR_CODE.fullmatch(value))
    return _is_secret_name(name)


@lru_cache(1_000)
def _is_secret_name(name: str) -> bool:
    return name not in PLAIN_NAMES and SECRET_NAMES.search(name) is not None


@lru_cache(1_000)
def _are_plain_names(names: tuple[str, ...]) -> bool:
    """Whether the values under these names may be shown, whatever they are."""
    return not any(name.lower() == "code" or name in OWN_TEXT or _is_secret_name(name) for name in names)


def _as_text(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "backslashreplace")
    return value if isinstance(value, str) else repr(value)


def redact_text(text: str) -> str:
    """`text` without what has the shape of a secret."""
    if not _hints(text):
        return text
    return SECRET_PARAMETERS.sub(rf"\1{REDACTED}", SECRET_SHAPES.sub(REDACTED, text))


def is_plain(text: str) -> bool:
    """Whether `redact_text` and `sanitized` would leave `text` as it is."""
    return len(text) <= LONGEST and text.isprintable() and not _hints(text)


def _hints(text: str) -> bool:
    return any(map(text.lower().__contains__, HINTS))


def sanitized(text: str, longest: int = LONGEST) -> str:
    """`text` with what cannot be seen written out: line ends and other controls would forge lines, bidirectional marks
    turn what a reader sees around, and half a surrogate pair cannot be written at all.
    """
    cut = text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
    if cut.isprintable():
        return cut
    return "".join(letter if letter.isprintable() else _written_out(letter) for letter in cut)


def _written_out(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004  four hexadecimal digits
