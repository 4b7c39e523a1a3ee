"""What a persona was given to know."""

from mcp_server.toolkit.widgets import CALLED_BY_WIDGETS
from mcp_server.toolsets.personas._editing import KnowledgeList
from mcp_server.toolsets.personas.tools import EDIT_SECONDS, Personas, TheirId, TheirName, reading


async def list_knowledge(personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None) -> KnowledgeList:
    """List what an AI persona was given to know: each source with its id, and whether it could be read.

    Use it to see what a persona can draw on, whether what was added has been read, or before remove_knowledge.
    """
    return await personas.editor.items(await personas.meant(sparkId, sparkName))


TOOL = reading(
    run=list_knowledge,
    title="List a persona's knowledge",
    timeout=EDIT_SECONDS,
    invoking="Listing the sources",
    invoked="Listed the sources",
    meta=CALLED_BY_WIDGETS,
)
