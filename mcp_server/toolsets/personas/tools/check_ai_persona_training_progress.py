"""How far a persona's training is."""

from mcp_server.toolsets.personas.models import PersonaProgress
from mcp_server.toolsets.personas.resources.spark_widget import TOOL_META
from mcp_server.toolsets.personas.tools import Personas, TheirId, TheirName, reading


async def check_ai_persona_training_progress(
    personas: Personas, *, sparkId: TheirId = None, sparkName: TheirName = None
) -> PersonaProgress:
    """Tell how far the training of an AI persona is, and whether it can talk yet.

    Use it after create_ai_persona_or_digital_twin, every pollAfterMs milliseconds until readyToChat is true; training
    takes from seconds to a few minutes. Stages: queued, profile, collect, index, prompt, then completed or failed. A
    failed training says why and what to do. Next, once it is ready: talk_to_ai_persona.
    """
    return await personas.progress(sparkId or (await personas.meant(None, sparkName)).id)


TOOL = reading(
    run=check_ai_persona_training_progress,
    title="Check an AI persona's training",
    timeout=40.0,  # finding a name may take 30 seconds, then three looks at once, of 5 seconds each
    invoking="Checking the training",
    invoked="Checked the training",
    meta=TOOL_META,
)
