"""Which names stand in the environment and in `.env` that nothing reads: a misspelt one would be ignored in silence."""

from pkgutil import resolve_name

from pydantic_settings import BaseSettings

from app.internal_api.engines.settings import EngineSettings
from app.internal_api.settings import InternalApiSettings
from app.settings import Settings
from mcp_server.settings import StdioSettings, toolset_names, unknown_settings


def misspelt() -> list[str]:
    """A line for each; the toolsets, with the library of the protocol, are imported only where there may be one."""
    models: list[type[BaseSettings]] = [Settings, StdioSettings, InternalApiSettings, EngineSettings]
    if not unknown_settings(models):
        return []
    own = [one.settings for one in resolve_name("mcp_server.toolset:discover")(toolset_names()) if one.settings]
    return unknown_settings([*models, *own])
