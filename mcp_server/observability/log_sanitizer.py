"""Text of strangers in the form in which it may stand in a log: on one line, in order, and not without end. Pure."""

from collections.abc import Mapping
from typing import Any

from structlog.typing import EventDict

LONGEST = 2_000
"""Characters of one value. Whoever needs more of a request has it; a log has room for many."""

OWN_TEXT = frozenset({"exception", "stack"})
"""Traces, which have lines. They were made here."""


def sanitized(text: str, longest: int = LONGEST) -> str:
    """`text` with what cannot be seen written out: line ends and other controls would forge lines, bidirectional marks
    turn what a reader sees around, and half a surrogate pair cannot be written at all.
    """
    cut = text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
    if cut.isprintable():
        return cut
    return "".join(letter if letter.isprintable() else _written_out(letter) for letter in cut)


def sanitize(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The processor for all that is logged, however deep it stands."""
    return {name: value if name in OWN_TEXT else _cleaned(value) for name, value in event.items()}


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return sanitized(value)
    if isinstance(value, Mapping):
        return {_cleaned(key): _cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part) for part in value]
    return value


def _written_out(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004  four hexadecimal digits
