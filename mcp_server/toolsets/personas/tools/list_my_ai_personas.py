"""The caller's personas."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED
from mcp_server.toolkit.widgets import CALLED_BY_WIDGETS
from mcp_server.toolsets.personas.models import PersonaList
from mcp_server.toolsets.personas.tools import Personas, reading

SearchQuery = Annotated[
    str,
    TRIMMED,
    Field(max_length=500, description="Part of a name, discipline or description; misspelled names are found too."),
    ONE_LINE,
]


async def list_my_ai_personas(personas: Personas, *, searchQuery: SearchQuery | None = None) -> PersonaList:
    """List the AI personas and digital twins of the signed-in user, with their ids (sparkId).

    Use it first when the user mentions a persona, when you need an id, or to see whether a persona exists before you
    create it. Leave searchQuery out to see all. Next: talk_to_ai_persona, or check_ai_persona_training_progress for
    one that is still being trained.
    """
    return await personas.listing(searchQuery)


TOOL = reading(
    run=list_my_ai_personas,
    title="List my AI personas",
    timeout=40.0,  # a page may take 30 seconds, and a long list has several
    invoking="Looking up your AI personas",
    invoked="Found your AI personas",
    meta=CALLED_BY_WIDGETS,
)
