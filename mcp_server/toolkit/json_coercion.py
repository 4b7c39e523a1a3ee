"""Reading what the internal API answered, with suspicion: the wrong type is the same as nothing at all."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.errors import ServiceUnavailable

LONGEST = 200  # characters of a line, where the reader says nothing else

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_:./-]{0,63}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_UNPRINTABLE_PROSE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) or isinstance(value, Mapping) else {}  # noqa: SIM101  the first is faster


def text(data: Mapping[str, Any], key: str, longest: int = LONGEST) -> str | None:
    """One line without control characters, cut at `longest`; None for anything else."""
    value = data.get(key)
    if not isinstance(value, str):
        return None
    if len(value) <= longest and value.isprintable():  # nearly all are; nothing is to be replaced or cut
        return " ".join(value.split()) or None
    line = " ".join(_UNPRINTABLE.sub(" ", value[: longest * 4]).split())
    return (line if len(line) <= longest else f"{line[: longest - 1].rstrip()}\u2026") or None


def word(data: Mapping[str, Any], key: str) -> str | None:
    """An identifier-like word; None for anything else."""
    value = data.get(key)
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def flag(data: Mapping[str, Any], key: str) -> bool | None:
    value = data.get(key)
    return value if isinstance(value, bool) else None


def whole(data: Mapping[str, Any], key: str) -> int | None:
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def items(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    """A list; empty for anything else."""
    value = data.get(key)
    return value if isinstance(value, list) else ()


def prose(data: Mapping[str, Any], key: str, longest: int) -> str | None:
    """Text of several lines, without other control characters, cut at `longest`; None for anything else."""
    value = data.get(key)
    if not isinstance(value, str):
        return None
    plain = _UNPRINTABLE_PROSE.sub(" ", value.replace("\r\n", "\n")[: longest + 1])
    return (plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}\u2026").strip() or None


def unreadable(what: str) -> ServiceUnavailable:
    """The internal API answered without what its contract promises outright."""
    return ServiceUnavailable(f"The internal API answered without {what}; try again")
