"""The replies as CSV, and the report as JSON: all figures and all replies, in the words of a published schema.

The CSV is RFC 4180, one row for each reply, and nothing in it that a spreadsheet would take for a formula.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.panels._aggregation.reading import failure
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.phrases import clean, number_in
from mcp_server.toolsets.panels._exports.tables import Report
from mcp_server.toolsets.panels._results import Individual, QuestionFigures, Section
from mcp_server.toolsets.panels._study import Reply, Stance
from mcp_server.toolsets.panels.models import PersonaRef

SCHEMA_ID = "urn:minds-gateway:panel-export:2"
VERSION = "2.2"


class ExportedGroup(Answer):
    """A group that is attached to the panel today."""

    id: str
    name: str
    members: list[PersonaRef]


class ExportedCode(Answer):
    """A theme that an answer was coded with."""

    id: str
    label: str
    quote: Annotated[str, Field(description="The words that show it: an exact part of the answer, or nothing.")]


class ExportedReply(Individual):
    """What one persona answered, asked as a member of one group."""

    codes: Annotated[list[ExportedCode] | None, Field(description="Null where it is not coded.")]
    stance: Annotated[Stance | None, Field(description="Towards what the question takes for granted.")]
    raw: Annotated[str | None, Field(description="What came as the value, where that counts as another text.")]
    group_id: str | None
    error: Annotated[str | None, Field(description="A stable word for why there is no answer.")]
    attributes: Annotated[dict[str, str], Field(description="What is told of the persona now, such as its region.")]


class ExportedQuestion(QuestionFigures):
    """A question, what its answers amount to, and every reply."""

    notes: Annotated[list[str], Field(description="What readers must know, such as that answers may be missing.")]
    replies: Annotated[list[ExportedReply], Field(description="All of them, by group and name.")]


class ExportedPanel(Answer):
    """The panel as it is today. Its questions may have been asked of other groups."""

    id: str
    name: str
    groups: list[ExportedGroup]


class PanelExport(Answer):
    """A panel and its questions with all figures and all replies."""

    schema_id: Annotated[Literal["urn:minds-gateway:panel-export:2"], Field(alias="$schema")]
    schema_version: Annotated[
        Literal["2.2"],
        Field(description="The first number changes when readers must, the second when fields are added."),
    ]
    generated_at: Annotated[str, Field(description="ISO 8601 in UTC.")]
    partial: Annotated[bool, Field(description="A question was still being answered.")]
    panel: ExportedPanel
    questions: Annotated[list[ExportedQuestion], Field(description="In the order in which they were asked.")]


def exported(report: Report) -> PanelExport:
    """The report in the words of the schema."""
    groups = [ExportedGroup(**asdict(group)) for group in report.groups]
    return PanelExport(
        schema_id=SCHEMA_ID,
        schema_version=VERSION,
        generated_at=report.generated_at,
        partial=report.partial,
        panel=ExportedPanel(id=report.panel_id, name=report.panel, groups=groups),
        questions=[
            ExportedQuestion(
                **{name: getattr(section.result, name) for name in QuestionFigures.model_fields},
                notes=list(section.asked.notes),
                replies=[
                    ExportedReply(**asdict(reply), themes=reply.themes, attributes=dict(report.told(reply)))
                    for reply in phrases.ordered(section.asked)
                ],
            )
            for section in report.sections
        ],
    )


def json_text(report: Report) -> bytes:
    """Write the export, indented, so that people can read it and compare two of them."""
    data = exported(report).model_dump(by_alias=True)
    # Half of a surrogate pair, which is no character, becomes a question mark.
    return f"{json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)}\n".encode("utf-8", "replace")


Cell = str | int | float | None
Columns = Mapping[str, Callable[[Section, Reply], Cell]]

REPLY_COLUMNS: Columns = {
    "Group": lambda _, reply: reply.group,
    "Persona": lambda _, reply: reply.persona,
    "Persona id": lambda _, reply: reply.persona_id,
    "Discipline": lambda _, reply: reply.discipline,
    "Status": lambda _, reply: reply.status,
    "Answer": phrases.answer_of,
    "As given": lambda _, reply: reply.raw,
    "Full response": lambda _, reply: reply.message,
    "Themes": lambda _, reply: "; ".join(reply.themes),
    "Stance": lambda _, reply: reply.stance,
    "Sentiment": lambda _, reply: reply.sentiment,
    "Grounded in": lambda _, reply: phrases.origin_of(reply),
    "Sources": lambda _, reply: "; ".join(reply.sources),
    "Error": lambda _, reply: failure(reply),
    "Coded by hand": lambda _, reply: reply.coded,
}
COLUMNS: Columns = {
    "Question": lambda section, _: section.asked.text,
    "Question type": lambda section, _: section.asked.type,
    "Asked at": lambda section, _: section.asked.asked_at,
    **REPLY_COLUMNS,
}


def attribute_columns(report: Report) -> Columns:
    """One for each attribute that somebody who was asked has."""
    keys = sorted({key for told in report.attributes.values() for key in told})
    return {f"Attribute: {key}": partial(_attribute, report, key) for key in keys}


def _attribute(report: Report, key: str, _: Section, reply: Reply) -> Cell:
    return report.told(reply).get(key)


_BLANK = "[\\s\u200b\u2060\ufeff]*"
_SIGN = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b"  # ASCII, full width, small
_FORMULA = re.compile(f"{_BLANK}[{_SIGN}]|[\t\n]")

_INNER = re.compile(f"(?<=[;\t\n])( *)(?=[=\uff1d\ufe66]|[{_SIGN}][^\\s])")
"""A program that takes the semicolon for the separator, as Excel does in much of Europe, ignores the quotes and begins
a new cell here. A sign with a space behind it is left alone, since that is how lists are written."""


def comma_separated(report: Report, *, bom: bool = True) -> bytes:
    """Write the table; the byte order mark makes Excel read it as UTF-8."""
    written = io.StringIO(newline="")
    # All texts are quoted, so that blanks at their ends and empty ones survive; numbers stay bare.
    table = csv.writer(written, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    columns = {**COLUMNS, **attribute_columns(report)}
    table.writerow(columns)
    for section in report.sections:
        for reply in phrases.ordered(section.asked):
            table.writerow([guarded(cell(section, reply)) for cell in columns.values()])
    return written.getvalue().encode("utf-8-sig" if bom else "utf-8")


def guarded(cell: Cell) -> Cell:
    """A text that no spreadsheet calculates: an apostrophe stands before what would begin a formula."""
    if not isinstance(cell, str):
        return cell
    text = clean(cell)
    if number_in(text) is not None:
        return text
    inside = _INNER.sub(r"\1'", text)
    return f"'{inside}" if _FORMULA.match(text) else inside
