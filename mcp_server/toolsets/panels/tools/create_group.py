"""A new group."""

from typing import Annotated

from pydantic import Field

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._arguments import Name, Personas
from mcp_server.toolsets.panels.models import CreatedGroup
from mcp_server.toolsets.panels.tools import Panels, changing


async def create_group(
    panels: Panels,
    *,
    name: Annotated[Name, Field(description="What to call the group.")],
    sparkIds: Annotated[Personas, Field(description="Personas by id.")] | None = None,
    sparkNames: Annotated[Personas, Field(description="Personas by name; a slip is forgiven.")] | None = None,
) -> CreatedGroup:
    """Create a group of AI personas that several panels can share.

    Use it when a group is to be reused; create_panel makes the groups of one panel along with it. Next: create_panel
    with its id in groupIds.
    """
    personas = [*(sparkIds or []), *(sparkNames or [])]
    if not personas:
        raise InvalidArguments("a group needs at least one persona: give sparkIds or sparkNames")
    return await panels.create_group(name, personas)


TOOL = changing(
    run=create_group,
    title="Create a group of personas",
    scopes=frozenset({"flows:write", "sparks:read"}),
    timeout=95.0,  # looking the personas up may take 30 seconds, and the creation 60
    invoking="Creating the group",
    invoked="Created the group",
)
