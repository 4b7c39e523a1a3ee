"""A new panel."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolsets.panels._arguments import GroupConfig, GroupRefs, Name
from mcp_server.toolsets.panels.models import CreatedPanel
from mcp_server.toolsets.panels.tools import Panels, changing

Configs = Annotated[
    list[GroupConfig], Field(max_length=50, description="New groups, each with its personas by sparkIds or sparkNames.")
]
Existing = Annotated[GroupRefs, Field(description="Groups that exist already, by id or name.")]


async def create_panel(
    panels: Panels,
    *,
    name: Annotated[Name, Field(description="What to call the panel.")],
    groupConfigs: Configs | None = None,
    groupIds: Existing | None = None,
) -> CreatedPanel:
    """Create a survey panel: groups of AI personas that can be asked questions together and compared.

    Use it when the user wants several personas, or groups of them, to answer the same questions. Give groupConfigs (new
    groups of personas, by id or by name), groupIds (existing groups), or both. Everything is made or nothing. Ten or
    more personas in a group make figures worth comparing. An equal call within ten seconds returns the same panel.
    Next: ask_panel with the returned panelId.
    """
    return await panels.create(name, groupConfigs or [], groupIds or [])


TOOL = changing(
    run=create_panel,
    title="Create a survey panel",
    scopes=frozenset({"flows:read", "flows:write", "sparks:read"}),
    timeout=120.0,  # looking up personas and groups may take 30 seconds each, and the creation 60
    invoking="Creating the panel",
    invoked="Created the panel",
)
