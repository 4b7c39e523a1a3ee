"""Survey panels: make them, ask them, read and export what they answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.runtime import Runtime
from mcp_server.toolsets.panels.service import PanelService

DEFAULT = 2
NEEDS = {"minds"}
INSTRUCTIONS = (
    "Survey personas in panels: list_panels shows what exists. Put personas into groups with create_panel, ask one "
    "neutral question at a time with ask_panel, read get_panel_results when answers are still coming, and hand out the "
    "file of export_panel."
)


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[PanelService]:
    """The service of this toolset, on the runtime's API; it lets go of unanswered questions when it closes."""
    on_lookup = runtime.telemetry.cache("panel_creations")
    dedup_seconds = runtime.settings.cache_create_dedup
    service = PanelService(runtime.api, runtime.names, runtime.files, dedup_seconds=dedup_seconds, on_lookup=on_lookup)
    try:
        yield service
    finally:
        await service.close()
