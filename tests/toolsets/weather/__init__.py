"""A toolset that the product does not know: all that it needs is in this folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.runtime import Runtime
from tests.toolsets.weather.service import Weather
from tests.toolsets.weather.settings import WeatherSettings

INSTRUCTIONS = "Ask look_outside before a walk."
SETTINGS = WeatherSettings


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[Weather]:
    """The service of this toolset, with a client of its own upstream."""
    settings = runtime.settings_of(WeatherSettings)
    client = runtime.upstream(settings.weather_url, name="The weather service", timeouts={"look": 5})
    yield Weather(client, settings)
