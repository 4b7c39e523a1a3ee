"""The settings of the limits: how many requests, and which server the processes count them on together."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings

from app.limits.redis_url import redis_address
from app.settings.types import Count
from mcp_server.limits.rules import TOOL_LIMITS, limit_words, read_tools, tool_words

OAUTH_ENDPOINTS = frozenset({"register", "token", "revoke", "introspect", "device"})


def _redis_url(text: SecretStr) -> SecretStr:
    redis_address(text.get_secret_value())
    return text


def _oauth(text: str) -> str:
    if unknown := set(read_tools(text)) - OAUTH_ENDPOINTS:
        raise ValueError(f"there is no {', '.join(sorted(unknown))}; name {', '.join(sorted(OAUTH_ENDPOINTS))}")
    return text


class LimitSettings(BaseSettings):
    """A part of `Settings`. Limits are written in the grammar of the library `limits`."""

    redis_url: Annotated[SecretStr, AfterValidator(_redis_url)] | None = Field(
        None,
        description="`redis://…`, `rediss://…`, `redis+sentinel://…`, `redis+cluster://…`; needed for several workers.",
    )
    redis_patience_seconds: float = Field(
        0.25, gt=0, le=5, description="Silence of Redis after which each process counts by itself."
    )
    rate_limit_enabled: bool = Field(
        default=True, description="Count requests; `false` is accepted only when `SITE_URL` is a loopback address."
    )
    rate_limit_anonymous: Annotated[str, AfterValidator(limit_words)] = Field(
        "100/minute", description="Requests of one address without a valid credential."
    )
    rate_limit_authenticated: Annotated[str, AfterValidator(limit_words)] = Field(
        "1000/minute", description="Requests of one account, from wherever they come."
    )
    rate_limit_tools: Annotated[str, AfterValidator(tool_words)] = Field(
        TOOL_LIMITS,
        description="Calls of a tool for each account; `*` for those without a limit; `TOOL=100/minute@5`: 5 a call.",
    )
    rate_limit_oauth: Annotated[str, AfterValidator(_oauth)] = Field(
        "register=60/10minutes,token=600/minute,revoke=600/minute,device=600/minute",
        description="Requests of one address to the OAuth endpoints of machines; one that is not named has no limit.",
    )
    rate_limit_workers: Count = Field(
        1, description="Processes that share Redis, for their parts while it is away; `serve --workers` sets it."
    )
