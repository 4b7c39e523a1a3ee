"""A new name for a persona."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED
from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import REPEATABLE, Personas, TheirId, TheirName, editing

NewName = Annotated[str, TRIMMED, Field(min_length=2, max_length=100), ONE_LINE]


async def rename(
    personas: Personas,
    *,
    sparkId: TheirId = None,
    sparkName: TheirName = None,
    name: Annotated[NewName, Field(description="The new name.")],
) -> ChangedPersona:
    """Give an AI persona another name. Its id, its knowledge and the panels that it is in stay as they are.

    Use it when the user asks for it, or to tell apart personas of one name.
    """
    return await personas.editor.rename(await personas.meant(sparkId, sparkName), name)


TOOL = editing(rename, "Rename an AI persona", "Renaming the persona", "Renamed the persona", annotations=REPEATABLE)
