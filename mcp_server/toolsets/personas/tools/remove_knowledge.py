"""A source, taken from a persona."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED
from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import DELETES, Personas, TheirId, TheirName, editing

Item = Annotated[str, TRIMMED, Field(min_length=1, max_length=2_048), ONE_LINE]


async def remove_knowledge(
    personas: Personas,
    *,
    sparkId: TheirId = None,
    sparkName: TheirName = None,
    item: Annotated[Item, Field(description="The source: its id or whole title, as list_knowledge tells them.")],
) -> ChangedPersona:
    """Take one source away from an AI persona, so that it answers from it no more. This cannot be undone.

    Use it only when the user asks for it. Next: retrain, since its character may still show what it read there.
    """
    return await personas.editor.remove(await personas.meant(sparkId, sparkName, certain=True), item)


TOOL = editing(
    remove_knowledge, "Remove a persona's knowledge", "Removing the source", "Removed the source", annotations=DELETES
)
