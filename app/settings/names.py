"""Which names stand in the environment and in `.env` that nothing reads: a misspelt one would be ignored in silence."""

from pydantic_settings import BaseSettings

from app.internal_api.engines.settings import EngineSettings
from app.internal_api.settings import InternalApiSettings
from app.settings import Settings
from mcp_server.settings import StdioSettings, toolset_names, unknown_settings
from mcp_server.toolset import discover


def misspelt() -> list[str]:
    """A line for each; the toolsets are imported only where there seems to be one."""
    models: list[type[BaseSettings]] = [Settings, StdioSettings, InternalApiSettings, EngineSettings]
    if not unknown_settings(models):
        return []
    own = [toolset.settings for toolset in discover(toolset_names()) if toolset.settings is not None]
    return unknown_settings([*models, *own])
