"""The caller's panels."""

from mcp_server.toolsets.panels._arguments import SearchQuery
from mcp_server.toolsets.panels.models import PanelList
from mcp_server.toolsets.panels.tools import Panels, reading


async def list_panels(panels: Panels, *, searchQuery: SearchQuery | None = None) -> PanelList:
    """List the survey panels of the signed-in user, with their ids (panelId), the last one used first.

    Use it when the user mentions a panel or you need an id. Leave searchQuery out to see all. Next: ask_panel,
    get_panel_results or export_panel; create_panel for a new one.
    """
    return await panels.panels(searchQuery)


# A page may take 30 seconds, and a long list has several.
TOOL = reading(list_panels, "List my survey panels", "Looking up your panels", "Found your panels", timeout=40.0)
