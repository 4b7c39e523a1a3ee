"""A panel's answers as a file."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from mcp_server.toolkit.widgets import CALLED_BY_WIDGETS
from mcp_server.toolsets.panels import _arguments as given
from mcp_server.toolsets.panels._exports.render import Format
from mcp_server.toolsets.panels.models import ExportedPanel
from mcp_server.toolsets.panels.tools import Panels, reading

_FORMATS: dict[str, Format] = {**{known: known for known in get_args(Format)}, "xls": "xlsx", "markdown": "md"}

FormatArgument = Annotated[
    Literal["pdf", "xlsx", "csv", "md", "json", "xls", "markdown"],
    # `.PDF` and ` Xlsx` are clear enough.
    BeforeValidator(lambda value: value.strip().lower().lstrip(".") if isinstance(value, str) else value),
    Field(
        description="pdf: report with charts. xlsx: workbook with charts. csv: one row per answer. md: report as text. "
        "json: everything, by a published schema. xls means xlsx, markdown means md."
    ),
]
ByteOrderMark = Annotated[
    bool, Field(description="CSV only: begin with a byte order mark, by which Excel knows the encoding.")
]


async def export_panel(
    panels: Panels,
    *,
    panelId: given.OptionalPanelId = None,
    panelName: given.OptionalPanelName = None,
    format: FormatArgument = "pdf",
    questionId: given.QuestionId | None = None,
    by: given.By | None = None,
    weights: given.Weights | None = None,
    compareWith: given.CompareWith | None = None,
    csvByteOrderMark: ByteOrderMark = True,
) -> ExportedPanel:
    """Export all answers of a panel as a file and return a link to it that expires.

    Use it when the user wants a file or a report. Give the link to the user as it is. With questionId only that
    question is exported; by, weights and compareWith are those of get_panel_results. It asks nobody anything.
    """
    view = given.View.of(by, weights, compareWith)
    panel = await panels.find(panelId, panelName)
    return await panels.export(panel, _FORMATS[format], questionId, view, bom=csvByteOrderMark)


TOOL = reading(
    run=export_panel,
    title="Export a survey panel",
    timeout=120.0,  # reading the panel may take 30 seconds, long answers 30 more, and a long report a minute to write
    cost="medium",
    invoking="Writing the export",
    invoked="The export is ready",
    meta=CALLED_BY_WIDGETS,
)
