"""Every answer of a study as one row of CSV that spreadsheets open without running any of it. Pure."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

from app.internal_api.models.outputs import AudienceOutput, PersonaAnswer, StudyOutputData
from app.internal_api.panels.reports.report import Report

COLUMNS = (
    "Question", "Group", "Persona", "Discipline", "Answer", "Full Response", "Type", "Status", "Error", "Sentiment",
    "Origin", "Sources", "Engine", "Asked At",
)  # fmt: skip
BYTE_ORDER_MARK = "\ufeff"
"""Without it a spreadsheet takes UTF-8 for something else."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def write_csv(report: Report) -> str:
    """RFC 4180 with a byte order mark; kind and length change nothing, since rows are rows."""
    out = io.StringIO()
    out.write(BYTE_ORDER_MARK)
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for question in report.questions:
        for group in question.audiences:
            writer.writerows([guarded(cell) for cell in row] for row in _rows(question, group))
    return out.getvalue()


def guarded(cell: str) -> str:
    """A cell that a spreadsheet would take for a formula begins with an apostrophe; a number cannot be one."""
    return f"'{cell}" if cell.startswith(FORMULA) and not PLAIN_NUMBER.fullmatch(cell) else cell


def _rows(question: StudyOutputData, group: AudienceOutput) -> Iterator[Sequence[str]]:
    for answer in group.answers:
        yield (
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
            _sources(answer),
            answer.engine or "",
            question.asked_at,
        )


def _sources(answer: PersonaAnswer) -> str:
    names = (str(source.get("displaySource") or source.get("title") or "") for source in answer.citation_sources)
    return "; ".join(dict.fromkeys(name for name in names if name))
