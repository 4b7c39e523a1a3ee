"""A persona, deleted."""

from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import DELETES, Personas, TheirId, TheirName, editing


async def delete_persona(personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None) -> ChangedPersona:
    """Delete an AI persona with all that it knows. This cannot be undone; answers that it gave to panels stay.

    Use it only when the user asks for it, and has seen which persona it is: the name must be given whole.
    """
    return await personas.editor.delete(await personas.meant(sparkId, sparkName, certain=True))


TOOL = editing(
    delete_persona, "Delete an AI persona", "Deleting the persona", "Deleted the persona", annotations=DELETES
)
