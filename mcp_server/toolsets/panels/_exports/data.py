"""The report as JSON: all figures and all replies, in the words of a published schema."""

import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._results import Individual, QuestionFigures, Report, Section

SCHEMA_ID = "urn:minds-gateway:panel-export:1"
VERSION = "1.0"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class ExportedMember(Answer):
    """A persona in a group of the panel."""

    id: str
    name: str
    discipline: str | None


class ExportedGroup(Answer):
    """A group that is attached to the panel today."""

    id: str
    name: str
    members: list[ExportedMember]


class ExportedReply(Individual):
    """What one persona answered, asked as a member of one group."""

    group_id: str | None
    error: Annotated[str | None, Field(description="A stable word for why there is no answer.")]


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

    schema_id: Annotated[Literal["urn:minds-gateway:panel-export:1"], Field(alias="$schema")]
    schema_version: Annotated[
        Literal["1.0"],
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
        questions=[_question(section) for section in report.sections],
    )


def json_text(report: Report) -> bytes:
    """Write the export, indented, so that people can read it and compare two of them."""
    data = exported(report).model_dump(by_alias=True)
    # Half of a surrogate pair, which is no character, becomes a question mark.
    return f"{json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)}\n".encode("utf-8", "replace")


def schema() -> dict[str, Any]:
    """The JSON Schema of an export."""
    made = PanelExport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": DIALECT, "$id": SCHEMA_ID, **made}


def _question(section: Section) -> ExportedQuestion:
    figures = {name: getattr(section.result, name) for name in QuestionFigures.model_fields}
    replies = [ExportedReply(**asdict(reply)) for reply in phrases.ordered(section.asked)]
    return ExportedQuestion(**figures, notes=list(section.asked.notes), replies=replies)
