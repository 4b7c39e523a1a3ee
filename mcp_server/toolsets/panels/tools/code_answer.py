"""A value that a person gives to an answer by hand."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED
from mcp_server.toolset import CHANGES
from mcp_server.toolsets.panels._arguments import Name, OptionalPanelId, OptionalPanelName, QuestionId
from mcp_server.toolsets.panels.models import CodedAnswer
from mcp_server.toolsets.panels.tools import Panels, changing

MEANING = "A number of the scale, an option, several options or themes parted by `;`. Left out: undo."
Value = Annotated[str, TRIMMED, Field(min_length=1, max_length=1_000, description=MEANING), PLAIN_TEXT]


async def code_answer(
    panels: Panels,
    *,
    panelId: OptionalPanelId = None,
    panelName: OptionalPanelName = None,
    questionId: QuestionId,
    persona: Annotated[Name, Field(description="Whose answer: the persona's id or name.")],
    value: Value | None = None,
) -> CodedAnswer:
    """Give an answer the value that the user reads in it, also where it was counted as another, or take that back.

    Use it only when the user has seen the answer and said what it counts as; never decide that yourself. The words stay
    as they are, and the result and every export say who coded it and when. Next: get_panel_results for the new figures.
    """
    return await panels.code(await panels.find(panelId, panelName), questionId, persona, value)


REPEATABLE = CHANGES.model_copy(update={"idempotent_hint": True})
# Finding the panel, reading it and its answers, and writing may take 30 seconds each.
TOOL = changing(
    code_answer, "Code an answer by hand", "Coding the answer", "Coded the answer", annotations=REPEATABLE, timeout=120
)
