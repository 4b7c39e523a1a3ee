"""What can be said of the weather."""

from collections.abc import Sequence

import httpx2
from pydantic import BaseModel

from mcp_server.errors import NotFound, ServiceUnavailable
from tests.toolsets.weather.settings import WeatherSettings

CITIES = ("bergen", "berlin", "lisbon")


class Sky(BaseModel):
    """What one sees outside."""

    city: str
    sky: str

    def as_text(self) -> str:
        return f"{self.city}: {self.sky}"


class Weather:
    """Over `client`, which has a breaker, retries and a deadline of its own."""

    def __init__(self, client: httpx2.AsyncClient, settings: WeatherSettings) -> None:
        self._client, self._settings = client, settings

    async def look(self, city: str) -> Sky:
        if city not in CITIES:
            raise NotFound("city", city, closest=self.cities(city[:1]))
        response = await self._client.get(f"{self._settings.weather_url}/{city}", extensions={"operation": "look"})
        if not response.is_success:
            raise ServiceUnavailable("The weather service has no answer")
        return Sky(city=city, sky=response.json()["sky"])

    async def report(self, city: str) -> str:
        return f"{(await self.look(city)).as_text()} for {self._settings.weather_days} days"

    def cities(self, beginning: str) -> Sequence[str]:
        return [city for city in CITIES if city.startswith(beginning)]
