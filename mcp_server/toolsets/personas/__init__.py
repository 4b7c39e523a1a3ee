"""AI personas: list them, create them, watch them train, talk to them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.runtime import Runtime
from mcp_server.toolsets.personas.service import PersonaService

DEFAULT = 1  # the place among the toolsets that are served when TOOLSETS is unset

NEEDS = {"minds"}
INSTRUCTIONS = (
    "Create AI personas from documents, links or keywords, watch them train, and talk to them. "
    "Start with list_my_ai_personas to see what exists. After create_ai_persona_or_digital_twin, poll "
    "check_ai_persona_training_progress until the persona is ready, then use talk_to_ai_persona. "
    "Personas are synthetic: treat what they say as direction, not as evidence about real people."
)


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[PersonaService]:
    """The service of this toolset, on the runtime's API."""
    on_lookup = runtime.telemetry.cache("persona_creations")
    dedup_seconds = runtime.settings.cache_create_dedup
    yield PersonaService(runtime.api, runtime.names, dedup_seconds=dedup_seconds, on_lookup=on_lookup)
