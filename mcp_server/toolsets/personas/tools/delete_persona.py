"""A persona, deleted."""

from mcp_server.toolset import Tool
from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import DELETES, SCOPES, Personas, TheirId, TheirName


async def delete_persona(personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None) -> ChangedPersona:
    """Delete an AI persona with all that it knows. This cannot be undone; answers that it gave to panels stay.

    Use it only when the user asks for it, and has seen which persona it is: the name must be given whole.
    """
    persona = await personas.meant(sparkId, sparkName, certain=True)
    return await personas.editor.delete(persona)


TOOL = Tool(
    run=delete_persona,
    title="Delete an AI persona",
    annotations=DELETES,
    scopes=SCOPES,
    timeout=65.0,  # finding the persona may take 30 seconds, and changing it, too
    cost="low",
    invoking="Deleting the persona",
    invoked="Deleted the persona",
)
