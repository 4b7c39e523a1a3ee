"""The caller's groups."""

from mcp_server.toolsets.panels._arguments import SearchQuery
from mcp_server.toolsets.panels.models import GroupList
from mcp_server.toolsets.panels.tools import Panels, reading


async def list_groups(panels: Panels, *, searchQuery: SearchQuery | None = None) -> GroupList:
    """List the groups of AI personas of the signed-in user, with their ids and members.

    Use it to reuse a group in create_panel (groupIds). Leave searchQuery out to see all.
    """
    return await panels.groups(searchQuery)


# A page may take 30 seconds, and a long list has several.
TOOL = reading(list_groups, "List my groups of personas", "Looking up your groups", "Found your groups", timeout=40.0)
