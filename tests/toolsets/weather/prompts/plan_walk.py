"""A prompt that begins a conversation about a walk."""

from typing import Annotated

from pydantic import Field

from mcp_server.primitives import Prompt
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.weather.resources.weather_report import complete_city
from tests.toolsets.weather.service import Weather


async def plan_walk(
    weather: Annotated[Weather, PROVIDED], *, city: Annotated[str, Field(description="Where to walk.")]
) -> str:
    """Plan a walk."""
    return f"Plan a walk. {await weather.report(city)}"


PROMPT = Prompt(run=plan_walk, title="Plan a walk", public=True, completions={"city": complete_city})
