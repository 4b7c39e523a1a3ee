"""The sky over a city."""

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Tool
from tests.toolsets.weather.service import Sky, Weather


async def look_outside(
    weather: Annotated[Weather, PROVIDED], *, city: Annotated[str, Field(max_length=50, description="Its name.")]
) -> Sky:
    """Say what the sky over a city looks like."""
    return await weather.look(city)


TOOL = Tool(
    run=look_outside,
    title="Look outside",
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
    ),
    public=True,
    timeout=10.0,
    limit="6/minute",
    units=2,
)
