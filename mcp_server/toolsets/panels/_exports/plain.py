"""Texts that people and models wrote, made safe to put into any file."""

import re
from datetime import UTC, datetime

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]")
"""What XML 1.0 cannot hold, and the control characters that it advises against. The line break is none of them."""

_LONE = re.compile("[\ud800-\udfff]")
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


class Verbatim(str):
    """A text that a template writes as it is; all others it escapes."""

    __slots__ = ()


def clean(text: str) -> str:
    """`text` without what no file can hold; every kind of line break is a line feed."""
    return _LONE.sub("\ufffd", _UNWRITABLE.sub("", _BREAKS.sub("\n", text)))


def one_line(text: str) -> str:
    """`text` cleaned, with single spaces instead of breaks, tabs and runs of spaces."""
    return " ".join(clean(text).split())


def shortened(text: str, longest: int) -> str:
    """`text` on one line, with an ellipsis when it is longer than `longest` characters."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def number_in(text: str) -> int | float | None:
    """The plain decimal number that `text` is; None when it is anything else, such as 1e5, +1 or ٣."""
    wanted = text.strip(" ")
    if not _NUMBER.fullmatch(wanted):
        return None
    return float(wanted) if "." in wanted else int(wanted)


def moment(timestamp: str | None) -> datetime | None:
    """An ISO 8601 time in UTC; None when it is none. One without an offset is taken for UTC."""
    try:
        parsed = datetime.fromisoformat(timestamp or "")
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def when(timestamp: str | None) -> str:
    """A time for people; what cannot be read as a time is shown as it came."""
    parsed = moment(timestamp)
    return f"{parsed:%Y-%m-%d %H:%M} UTC" if parsed else one_line(timestamp or "")
