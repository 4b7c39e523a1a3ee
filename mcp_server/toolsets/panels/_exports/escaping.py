"""Texts that users and models wrote, in Markdown: shown as they are, never as markup, and loading nothing."""

import re

from mcp_server.toolsets.panels._exports.plain import clean, one_line

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r"\b(https?|ftp|mailto|xmpp)(?=:)|\b(www)(?=\.)", re.IGNORECASE)
"""Viewers make links of these on their own."""

_BLOCK = re.compile(r"(\d{1,9})([.)])(?=\s|$)|([#+=-])|:(?=[-:])")
"""What begins a heading, a list, a rule or a table when it stands at the beginning of a line."""


def inline(text: str) -> str:
    """`text` on one line, for a paragraph, a heading or the cell of a table."""
    return _line(one_line(text))


def quoted(text: str) -> str:
    """`text` with its lines, as a block quotation."""
    lines = [_line(line.strip()) for line in clean(text).strip().split("\n")]
    # A break is two blanks at the end of a line; an empty line parts paragraphs on its own.
    ends = ["  " if line and after else "" for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return "\n".join(f"> {line}{end}" if line else ">" for line, end in zip(lines, ends, strict=True))


def _line(line: str) -> str:
    escaped = _ENTITY.sub(r"\\&", _MARKUP.sub(r"\\\g<0>", line))
    named = _ADDRESS.sub(_unlinked, escaped)
    return _BLOCK.sub(_disarmed, named, count=1) if _BLOCK.match(named) else named


def _unlinked(found: re.Match[str]) -> str:
    return f"{found[0]}\\"


def _disarmed(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[0]}"


def table(labels: list[str], rows: list[list[str]], *, numbers: frozenset[int] | set[int] = frozenset()) -> str:
    """A table whose cells are Markdown already; the columns in `numbers` stand on the right."""
    rule = ["---:" if column in numbers else "---" for column in range(len(labels))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [labels, rule, *rows])
