"""What a panel has answered."""

from mcp_server.toolsets.panels import _arguments as given
from mcp_server.toolsets.panels.models import PanelResults
from mcp_server.toolsets.panels.resources.panel_widget import TOOL_META
from mcp_server.toolsets.panels.tools import Panels, reading


async def get_panel_results(
    panels: Panels,
    *,
    panelId: given.OptionalPanelId = None,
    panelName: given.OptionalPanelName = None,
    questionId: given.QuestionId | None = None,
    by: given.By | None = None,
    weights: given.Weights | None = None,
    compareWith: given.CompareWith | None = None,
) -> PanelResults:
    """Return what a panel has answered so far: the newest questions, or the one with questionId.

    Use it after ask_panel said "processing", or to come back to a panel later. With `by` it is a
    cross-tabulation by attributes, with `weights` weighted too, with `compareWith` compared with an earlier asking. It
    asks nobody anything. Next: ask_panel for a further question, or export_panel for all answers as a file.
    """
    view = given.View.of(by, weights, compareWith)
    return await panels.results(await panels.find(panelId, panelName), questionId, view)


TOOL = reading(
    run=get_panel_results,
    title="Get the results of a survey panel",
    timeout=95.0,  # finding the panel, reading it, and reading long answers may take 30 seconds each
    invoking="Reading the results",
    invoked="Read the results",
    meta=TOOL_META,
)
