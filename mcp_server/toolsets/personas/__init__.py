"""AI personas: list them, create them, watch them train, talk to them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.runtime import Runtime
from mcp_server.toolsets.personas.service import PersonaService

TITLE = "AI personas"


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[PersonaService]:
    """The service of this toolset, on the runtime's API."""
    told = runtime.telemetry.cache("persona_creations")
    yield PersonaService(runtime.api, dedup_seconds=runtime.settings.cache_create_dedup, told=told)
