"""A report as it arrives: its texts are made printable before anything else sees them."""

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from mcp_server.toolsets.panels._exports.pdf.faces import Fonts, open_fonts
from mcp_server.toolsets.panels._report import Report

LACKING = "▯"
"""In the place of a character that no font has."""

_BREAKS = "\n\x0b\x0c\x85\u2028\u2029"
_JOINERS = "\u200c\u200d"  # they shape Persian and Indic words; every other invisible sign goes
_DECORATION = frozenset("\ufe0e\ufe0f\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""What only decorates the emoji before it."""


def read_report(data: bytes, folder: Path) -> tuple[Report, Fonts, frozenset[str]]:
    """The report in `data`, the fonts for it, which are laid into `folder`, and the characters in its texts."""
    told = json.loads(data)
    chars = frozenset().union(*(_composed(text) for text in _texts(told)))
    fonts = open_fonts(folder, chars)
    table = {ord(char): printed for char in chars if (printed := printable(char, fonts.covers)) != char}
    report = TypeAdapter(Report).validate_python(_mapped(told, lambda text: _composed(text).translate(table)))
    return report, fonts, chars | {LACKING}


def printable(char: str, covers: Callable[[str], bool]) -> str:
    """What is printed for `char`.

    Signs that turn the direction of text are dropped: a persona could disguise one name as another with them.
    """
    if char in _BREAKS:
        return "\n"
    if covers(char) and (char in _JOINERS or _visible(char)):
        return char
    return _instead(char)


def _visible(char: str) -> bool:
    return unicodedata.category(char)[0] not in "CZ" or char in " \xa0"


def _instead(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Zs" or char == "\t":
        return " "
    hidden = category in {"Cc", "Cf"} or char in _DECORATION or "VARIATION SELECTOR" in unicodedata.name(char, "")
    return "" if hidden else LACKING


def _composed(text: str) -> str:
    return text if text.isascii() and "\r" not in text else unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


def _texts(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for part in told.values() if isinstance(told, dict) else told:
            yield from _texts(part)


def _mapped(told: Any, change: Callable[[str], str]) -> Any:
    if isinstance(told, str):
        return change(told)
    if isinstance(told, list):
        return [_mapped(part, change) for part in told]
    return {name: _mapped(part, change) for name, part in told.items()} if isinstance(told, dict) else told
