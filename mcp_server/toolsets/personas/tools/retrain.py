"""The training of a persona, once more."""

from mcp_server.toolset import Tool
from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import CHANGES, SCOPES, Personas, TheirId, TheirName


async def retrain(personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None) -> ChangedPersona:
    """Train an AI persona again from all its sources; what it knew stays until the new is in.

    Use it when a training failed and the cause is mended, after remove_knowledge, or when linked pages have changed.
    Next: check_ai_persona_training_progress.
    """
    return await personas.editor.retrain(await personas.meant(sparkId, sparkName))


TOOL = Tool(
    run=retrain,
    title="Train an AI persona again",
    annotations=CHANGES,
    scopes=SCOPES,
    timeout=65.0,  # finding the persona may take 30 seconds, and changing it, too
    cost="low",
    invoking="Starting the training",
    invoked="Started the training",
)
