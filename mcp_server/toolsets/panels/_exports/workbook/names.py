"""Names of sheets, which Excel is particular about."""

import re

from mcp_server.toolsets.panels._exports.plain import one_line

LONGEST = 31
"""UTF-16 units, as Excel counts."""

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


def sheet_name(number: int, question: str) -> str:
    """`Q1 How likely …`: unique by its number, and taken by every program that reads workbooks."""
    # A straight apostrophe quotes names in formulas, and may not stand at an end.
    words = one_line(_FORBIDDEN.sub(" ", question).replace("'", "\u2019"))
    return _fitting(f"Q{number} {words}".rstrip())


def _fitting(name: str) -> str:
    if units(name) <= LONGEST:
        return name
    name = name[:LONGEST]
    while units(name) >= LONGEST:
        name = name[:-1]
    return f"{name.rstrip()}…"


def units(text: str) -> int:
    """The length of `text` as Excel counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
