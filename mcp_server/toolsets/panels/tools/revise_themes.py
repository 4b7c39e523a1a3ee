"""Themes of an open question, changed by a researcher."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED
from mcp_server.toolset import CHANGES
from mcp_server.toolsets.panels._arguments import Name, OptionalPanelId, OptionalPanelName, QuestionId
from mcp_server.toolsets.panels._revising import Action, Revision
from mcp_server.toolsets.panels.models import RevisedThemes
from mcp_server.toolsets.panels.tools import Panels, changing

Themes = Annotated[list[Name], Field(min_length=1, max_length=50, description="Labels or ids of themes as they are.")]
_LABEL = Field(min_length=1, max_length=80, description="Of the theme that comes of it; a merge may keep the first's.")
Label = Annotated[str, TRIMMED, _LABEL, ONE_LINE]
Definition = Annotated[Name, Field(description="What the theme means, in one sentence.")]
Answers = Annotated[
    list[Name],
    Field(max_length=1_000, description="Split: the personas whose answers go to the new theme, by name or id."),
]
Words = Annotated[
    list[Name], Field(max_length=50, description="Split: answers that hold one of these words go to the new theme.")
]


async def revise_themes(
    panels: Panels,
    *,
    panelId: OptionalPanelId = None,
    panelName: OptionalPanelName = None,
    questionId: QuestionId,
    action: Annotated[Action, Field(description="merge two or more themes, rename one, or split one in two.")],
    themes: Themes,
    label: Label | None = None,
    definition: Definition | None = None,
    answers: Answers | None = None,
    words: Words | None = None,
) -> RevisedThemes:
    """Merge, rename or split the themes of an open question, and return its figures by the new themes.

    Use it when the user disagrees with the themes of ask_panel or get_panel_results. All figures, quotes and findings
    are made anew; the same question asked again in this panel keeps the new themes. Each change is recorded and shown.
    """
    panel = await panels.find(panelId, panelName)
    given = Revision(action, tuple(themes), label, definition, tuple(answers or ()), tuple(words or ()))
    return await panels.revise(panel, questionId, given)


TOOL = changing(
    run=revise_themes,
    title="Revise the themes of a question",
    annotations=CHANGES.model_copy(update={"destructive_hint": True}),
    timeout=95.0,  # finding the panel, reading the question, and changing it may take 30 seconds each
    invoking="Revising the themes",
    invoked="Revised the themes",
)
