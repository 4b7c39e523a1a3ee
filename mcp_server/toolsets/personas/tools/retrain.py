"""The training of a persona, once more."""

from mcp_server.toolsets.personas._editing import ChangedPersona
from mcp_server.toolsets.personas.tools import Personas, TheirId, TheirName, editing


async def retrain(personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None) -> ChangedPersona:
    """Train an AI persona again from all its sources; what it knew stays until the new is in.

    Use it when a training failed and the cause is mended, after remove_knowledge, or when linked pages have changed.
    Next: check_ai_persona_training_progress.
    """
    return await personas.editor.retrain(await personas.meant(sparkId, sparkName))


TOOL = editing(retrain, "Train an AI persona again", "Starting the training", "Started the training")
