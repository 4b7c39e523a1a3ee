"""Survey panels: make them, ask them, read and export what they answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.runtime import Runtime
from mcp_server.toolsets.panels.service import PanelService

TITLE = "Survey panels"


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[PanelService]:
    """The service of this toolset, on the runtime's API; it lets go of unanswered questions when it closes."""
    told = runtime.telemetry.cache("panel_creations")
    service = PanelService(runtime.api, runtime.files, dedup_seconds=runtime.settings.cache_create_dedup, told=told)
    try:
        yield service
    finally:
        await service.close()
