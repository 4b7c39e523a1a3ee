"""The caller's groups."""

from typing import Annotated

from mcp_types import ToolAnnotations

from mcp_server.toolkit.arguments import OPTIONAL
from mcp_server.toolset import Tool
from mcp_server.toolsets.panels._arguments import SearchQuery
from mcp_server.toolsets.panels.models import GroupList
from mcp_server.toolsets.panels.tools import Panels


async def list_groups(panels: Panels, *, searchQuery: Annotated[SearchQuery | None, OPTIONAL] = None) -> GroupList:
    """List the groups of AI personas of the signed-in user, with their ids and members.

    Use it to reuse a group in create_panel (groupIds). Leave searchQuery out to see all.
    """
    return await panels.groups(searchQuery)


TOOL = Tool(
    run=list_groups,
    title="List my groups of personas",
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    scopes=frozenset({"flows:read"}),
    timeout=40.0,  # a page may take 30 seconds, and a long list has several
    cost="low",
    invoking="Looking up your groups",
    invoked="Found your groups",
)
