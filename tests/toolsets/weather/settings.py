"""What the toolset reads from the environment."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class WeatherSettings(BaseSettings):
    """Each field is one variable of the same name."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    weather_url: str = "http://weather.invalid"
    weather_days: int = Field(default=3, ge=1, description="Days that a report has.")
