"""The report for a city, as a resource template."""

from collections.abc import Sequence
from typing import Annotated

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.weather.service import Weather


async def weather_report(weather: Annotated[Weather, PROVIDED], *, city: str) -> str:
    """The report for one city."""
    return await weather.report(city)


async def complete_city(weather: Annotated[Weather, PROVIDED], *, value: str) -> Sequence[str]:
    """The cities that begin so."""
    return weather.cities(value)


RESOURCE = Resource(
    run=weather_report,
    title="Weather report",
    uri="weather://{city}/report",
    public=True,
    completions={"city": complete_city},
)
