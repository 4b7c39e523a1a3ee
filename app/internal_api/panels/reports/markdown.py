"""A report as Markdown, in which nothing that a persona or its owner wrote is markup. Pure."""

import re

from app.internal_api.models.outputs import Share
from app.internal_api.panels.reports.blocks import Bars, Heading, Paragraph, Quote, blocks
from app.internal_api.panels.reports.report import Report

MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
LEADING = re.compile(r"^(\s*)([-+=]|\d+[.)])", re.MULTILINE)
BAR = 20
"""Blocks of a share of 100 %."""


def write_markdown(report: Report) -> str:
    """Blocks apart by an empty line."""
    return "\n\n".join(_written(block) for block in blocks(report)) + "\n"


def escaped(text: str) -> str:
    """The text as itself, whatever signs are in it."""
    return LEADING.sub(_escaped_mark, _as_signs(text))


def one_line(text: str) -> str:
    """For headings and cells, which end with the line."""
    return escaped(" ".join(text.split()))


def bar(share: float) -> str:
    """A share as a bar; what was chosen at all is seen."""
    return "█" * max(round(share * BAR), 1 if share else 0)


def _written(block: Heading | Paragraph | Bars | Quote) -> str:
    match block:
        case Heading():
            # Where a heading has begun, the number of a question does not begin a list.
            return f"{'#' * block.level} {_as_signs(' '.join(block.text.split()))}"
        case Paragraph():
            return one_line(block.text)
        case Bars():
            return "\n".join(["| Answer | n | Share | |", "|---|--:|--:|:--|", *map(_row, block.shares)])
        case _:
            return _quotation(block)


def _row(share: Share) -> str:
    return f"| {one_line(share.value)} | {share.count} | {share.share:.0%} | {bar(share.share)} |"


def _quotation(quote: Quote) -> str:
    lines = "\n".join(f"> {line.strip()}".rstrip() for line in escaped(quote.text).splitlines())
    return f"**{one_line(quote.speaker)}**\n\n{lines}"


def _as_signs(text: str) -> str:
    return MARKUP.sub(r"\\\1", text)


def _escaped_mark(found: re.Match[str]) -> str:
    space, mark = found.groups()
    return f"{space}\\{mark}" if len(mark) == 1 else f"{space}{mark[:-1]}\\{mark[-1]}"
