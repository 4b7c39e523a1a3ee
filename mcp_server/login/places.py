"""Where the platform wants settings of a user to lie."""

import sys
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

NAME = "minds-gateway"


class Places(BaseSettings):
    """The variables with which platforms say so; they are the system's, not settings of ours."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    xdg_config_home: Path | None = None
    appdata: Path | None = None

    def folder(self, platform: str = sys.platform) -> Path:
        """The folder of this program, which may not exist yet."""
        if platform == "win32":
            return (self.appdata or Path.home() / "AppData" / "Roaming") / NAME
        if platform == "darwin":
            return Path.home() / "Library" / "Application Support" / NAME
        given = self.xdg_config_home
        # XDG Base Directory Specification: a relative path in the variable is to be ignored.
        return (given if given is not None and given.is_absolute() else Path.home() / ".config") / NAME
