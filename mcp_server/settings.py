"""Settings of the MCP server. Read once, by an entry point; everything else is handed the instance."""

import importlib
import pkgutil
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from mcp_server.limits.rules import TOOL_LIMITS, limit_words, tool_words

EMBEDDED = "embedded"

TOOLSETS = "mcp_server.toolsets"
"""The package whose folders are the toolsets."""


def toolset_names() -> list[str]:
    """The toolsets of this version. None of them is imported."""
    package = importlib.import_module(TOOLSETS)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)


def known_toolsets(value: Any) -> Any:
    """The names of a comma-separated list. Raises ValueError: there is none, or one is no toolset of this version."""
    names, known = _listed(value), toolset_names()
    if isinstance(value, str) and not names:
        raise ValueError(f"name a toolset, or unset it; there is: {', '.join(known)}")
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is not a toolset of this version; there is: {', '.join(known)}")
    return tuple(dict.fromkeys(names))


ToolsetNames = Annotated[tuple[str, ...], NoDecode, BeforeValidator(known_toolsets)]
"""Without any, those are served that are in the default."""


def _trimmed(value: Any) -> Any:
    """A pasted key often brings a blank or a line end along."""
    return value.strip() if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _api_url(text: str) -> str:
    parts = urlsplit(text)
    if text != EMBEDDED and not (parts.scheme in {"http", "https"} and parts.hostname):
        raise ValueError(f"write {EMBEDDED}, or an origin such as https://getminds.ai")
    return text


class McpSettings(BaseSettings):
    """The seed's tables of breakers, timeouts and caches, and where the internal API is. Seconds throughout."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_file=".env", env_ignore_empty=True)

    mindsai_api_url: Annotated[str, AfterValidator(_api_url)] = EMBEDDED
    mindsai_api_key: Annotated[SecretStr | None, BeforeValidator(_trimmed)] = Field(
        default=None, description="The caller's key, for stdio."
    )
    data_dir: Path = Path("var")
    fetch_allow_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = ()
    audit_sink: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = ("file", "database")
    audit_retention_days: int = Field(default=90, ge=2)
    audit_file_bytes: int = Field(default=64 * 1024 * 1024, ge=1024 * 1024)
    audit_every_invoke: bool = False
    toolsets: ToolsetNames = ()

    breaker_failures: int = Field(default=5, ge=1)
    breaker_reset_seconds: float = Field(default=30, gt=0)
    breaker_successes: int = Field(default=2, ge=1)

    timeout_default: float = Field(default=30, gt=0)
    timeout_create: float = Field(default=60, gt=0)
    timeout_chat: float = Field(default=45, gt=0)
    timeout_polling: float = Field(default=5, gt=0)

    upstream_concurrency: int = Field(default=200, ge=1, le=1_000)
    upstream_concurrency_per_operation: int = Field(default=100, ge=1, le=1_000)
    upstream_concurrency_per_subject: int = Field(default=32, ge=1, le=1_000)
    upstream_wait_seconds: float = Field(default=10, gt=0)
    upstream_retries: int = Field(default=1, ge=0, le=3)

    export_link_seconds: float = Field(default=3600, gt=0)

    rate_limit_enabled: bool = True
    rate_limit_anonymous: Annotated[str, AfterValidator(limit_words)] = "100/minute"
    rate_limit_authenticated: Annotated[str, AfterValidator(limit_words)] = "1000/minute"
    rate_limit_tools: Annotated[str, AfterValidator(tool_words)] = TOOL_LIMITS

    cache_create_dedup: float = Field(default=10, gt=0)
