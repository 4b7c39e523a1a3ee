"""The report as Markdown: read as it is, or in any viewer. `report.md.jinja` says what is in it.

Texts that users and models wrote are shown as they are: they never become markup, and load nothing.
"""

import re
from pathlib import Path

from mcp_server.toolsets.panels._exports import phrases, tables
from mcp_server.toolsets.panels._exports.phrases import Verbatim, clean, one_line, templates
from mcp_server.toolsets.panels._exports.tables import Report, Table

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r"\b(https?|ftp|mailto|xmpp)(?=:)|\b(www)(?=\.)", re.IGNORECASE)
"""Viewers make links of these on their own."""

_BLOCK = re.compile(r"\A(?:(\d{1,9})(?=[.)](?:\s|$))|(?=[#+=-]|:[-:]))")
"""Where a heading, a list, a rule or a table begins when it stands at the beginning of a line."""


def markdown(report: Report) -> bytes:
    """Write the report. The blocks are parted by empty lines, which is what Markdown asks for."""
    made = _ENVIRONMENT.get_template("report.md.jinja").render(report=report)
    return (re.sub(r"\n{3,}", "\n\n", made).strip() + "\n").encode()


def inline(text: str) -> Verbatim:
    """`text` on one line, for a paragraph, a heading or the cell of a table."""
    return Verbatim(_line(one_line(text)))


def quoted(text: str) -> Verbatim:
    """`text` with its lines, as a block quotation; nothing where there is none."""
    if not clean(text).strip():
        return Verbatim("")
    lines = [_line(line.strip()) for line in clean(text).strip().split("\n")]
    # A break is two blanks at the end of a line; an empty line parts paragraphs on its own.
    ends = ["  " if line and after else "" for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return Verbatim("\n".join(f"> {line}{end}" if line else ">" for line, end in zip(lines, ends, strict=True)))


def _line(line: str) -> str:
    escaped = _ENTITY.sub(r"\\&", _MARKUP.sub(r"\\\g<0>", line))
    return _BLOCK.sub(r"\1\\", _ADDRESS.sub(r"\g<0>\\", escaped))


def table(made: Table) -> Verbatim:
    """A table in GitHub's Markdown."""
    rule = ["---:" if column in made.numbers else "---" for column in range(len(made.titles))]
    rows = [[cell if column in made.numbers else inline(cell) for column, cell in enumerate(row)] for row in made.rows]
    titles: list[str] = [inline(title) for title in made.titles]
    return Verbatim("\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rule, *rows)))


_ENVIRONMENT = templates(Path(__file__).parent, inline, inline=inline, quoted=quoted, table=table)
_ENVIRONMENT.globals.update(p=phrases, tables=tables, one_line=one_line)
