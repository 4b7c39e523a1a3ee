"""Reports as text: Markdown in which answers are no markup, and CSV in which they are no formulas. Pure."""

import csv
import io
import re

from app.internal_api.panels.report import Block, Distribution, Heading, Paragraph, Report, blocks

MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
LEADING = re.compile(r"^(\s*)(?:([-+=])|(\d+)([.)]))", re.MULTILINE)
BAR = 20
"""Signs of a bar for a share of 100 %."""
COLUMNS = (
    "Question", "Group", "Persona", "Discipline", "Answer", "Full Response", "Type", "Status", "Error", "Sentiment",
    "Origin", "Sources", "Engine", "Asked At",
)  # fmt: skip
BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets do not read UTF-8."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def write_markdown(report: Report) -> str:
    """Blocks apart by an empty line."""
    return "\n\n".join(_markdown(block) for block in blocks(report)) + "\n"


def escaped(text: str) -> str:
    """The text as itself, whatever signs are in it."""
    return LEADING.sub(lambda found: f"{found[1]}{found[3] or ''}\\{found[2] or found[4]}", MARKUP.sub(r"\\\1", text))


def one_line(text: str) -> str:
    """Escaped, for headings and cells, which end with the line."""
    return escaped(" ".join(text.split()))


def write_csv(report: Report) -> str:
    """RFC 4180 with a byte order mark, one row for each answer; kind and length change nothing."""
    out = io.StringIO()
    out.write(BYTE_ORDER_MARK)
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for question in report.questions:
        for group in question.audiences:
            for answer in group.answers:
                sources = (each.get("displaySource") or each.get("title") for each in answer.citation_sources)
                row = (
                    question.title,
                    group.audience,
                    answer.persona,
                    answer.discipline or "",
                    answer.value,
                    answer.message,
                    question.type,
                    answer.status,
                    answer.error_code or "",
                    "" if answer.sentiment is None else f"{answer.sentiment:g}",
                    str(answer.answer_provenance.get("origin", "")),
                    "; ".join(dict.fromkeys(str(name) for name in sources if name)),
                    answer.engine or "",
                    question.asked_at,
                )
                writer.writerow(map(guarded, row))
    return out.getvalue()


def guarded(cell: str) -> str:
    """A cell that a spreadsheet would take for a formula begins with an apostrophe; a number cannot be one."""
    return f"'{cell}" if cell.startswith(FORMULA) and not PLAIN_NUMBER.fullmatch(cell) else cell


def _markdown(block: Block) -> str:
    match block:
        case Heading():
            # Where a heading has begun, the number of a question does not begin a list.
            return "#" * block.level + " " + MARKUP.sub(r"\\\1", " ".join(block.text.split()))
        case Paragraph():
            return one_line(block.text)
        case Distribution():
            head = ("| Answer | n | Share | |", "|---|--:|--:|:--|")
            bars = ("█" * max(round(each.share * BAR), 1 if each.share else 0) for each in block.shares)
            rows = (
                f"| {one_line(each.value)} | {each.count} | {each.share:.0%} | {bar} |"
                for each, bar in zip(block.shares, bars, strict=True)
            )
            return "\n".join([*head, *rows])
        case _:
            lines = "\n".join(f"> {line.strip()}".rstrip() for line in escaped(block.text).splitlines())
            return f"**{one_line(block.speaker)}**\n\n{lines}"
