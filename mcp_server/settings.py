"""Settings of the MCP server. Read once, by an entry point; everything else is handed the instance."""

import importlib
import pkgutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, NoDecode, SettingsConfigDict
from rapidfuzz.distance import OSA

from mcp_server.limits.rules import TOOL_LIMITS, limit_words, tool_words

EMBEDDED = "embedded"
MIB = 1024 * 1024

TOOLSETS = "mcp_server.toolsets"
"""The package whose folders are the toolsets."""


def toolset_names() -> list[str]:
    """The toolsets of this version. None of them is imported."""
    package = importlib.import_module(TOOLSETS)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)


def known_toolsets(value: Any) -> Any:
    """The names of a comma-separated list. Raises ValueError: there is none, or one is no toolset of this version."""
    names, known = listed(value), toolset_names()
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


def listed(value: Any) -> Any:
    """A comma-separated string as a tuple without blanks; anything else as it is."""
    return tuple(part for part in map(str.strip, value.split(",")) if part) if isinstance(value, str) else value


def _api_url(text: str) -> str:
    parts = urlsplit(text)
    if text != EMBEDDED and not (parts.scheme in {"http", "https"} and parts.hostname):
        raise ValueError(f"write {EMBEDDED}, or an origin such as https://getminds.ai")
    return text


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(listed)]
"""Comma-separated in the environment."""
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=1_000)]


class McpSettings(BaseSettings):
    """What the tools need to know, in whichever process they run. Frozen, and made by entry points only."""

    model_config = SettingsConfigDict(
        env_file=".env",
        frozen=True,
        extra="ignore",  # `.env` also holds what other processes read; `unknown_settings` looks for misspelt names
        env_ignore_empty=True,  # `NAME=` is unset, as in the shell's ${NAME:-default}
        hide_input_in_errors=True,  # a mistyped secret stays out of the message
    )

    mindsai_api_url: Annotated[str, AfterValidator(_api_url)] = EMBEDDED
    data_dir: Path = Field(Path("var"), description="Embedded database, signing keys, caches and exports.")
    fetch_allow_hosts: Names = ()
    toolsets: ToolsetNames = Field((), description="Toolsets that are served, comma-separated.")

    docs_public: bool = Field(
        default=True,
        description="Documentation, articles, assistants and search need no sign-in; `false`: scope `docs:read`.",
    )

    breaker_failures: Count = Field(5, description="Faults in a row that open a circuit breaker.")
    breaker_reset_seconds: Seconds = Field(30, description="How long an open breaker waits before a probe.")
    breaker_successes: Count = Field(2, description="Successful probes that close a breaker.")

    llm_sampling: int = Field(
        0,
        ge=0,
        le=200,
        description="Prompts of one call that a client's own model may answer (sampling), where personas have none.",
    )

    timeout_default: Seconds = Field(30, description="Seconds for a call of the internal API.")
    timeout_create: Seconds = Field(60, description="Seconds for creating a persona.")
    timeout_chat: Seconds = Field(45, description="Seconds for an answer of a persona.")
    timeout_polling: Seconds = Field(5, description="Seconds for asking how far something is.")

    upstream_concurrency: Count = Field(200, description="Calls of the internal API at one time, in all.")
    upstream_concurrency_per_operation: Count = Field(
        100, description="Of them, those of one kind: what is slow leaves room for the rest."
    )
    upstream_concurrency_per_subject: Count = Field(32, description="Of them, those of one user.")
    upstream_wait_seconds: Seconds = Field(10, description="Seconds that a call waits for its turn, then is refused.")
    upstream_retries: int = Field(1, ge=0, le=3, description="How often a read that failed on the way is made again.")

    cache_create_dedup: Seconds = Field(10, description="Seconds in which the same creation is one creation.")
    cache_recent_spark: Seconds = Field(30, description="Seconds for which names of personas and panels are known.")
    export_link_seconds: Seconds = Field(3600, description="Seconds for which the link to an exported file works.")

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

    audit_sink: Names = ("file", "database")
    audit_retention_days: int = Field(90, ge=2, le=3_650, description="Days for which audit rows are kept.")
    audit_file_bytes: int = Field(
        64 * MIB, ge=MIB, description="Size at which a file of the audit log ends and the next begins."
    )
    audit_every_invoke: bool = Field(
        default=False, description="A `toolInvoke` row for calls that only read, too; others always have one."
    )


class ToolsetSettings(BaseSettings):
    """Settings of one toolset: base of the class SETTINGS in its folder."""

    model_config = McpSettings.model_config

    @property
    def is_enabled(self) -> bool:
        """Whether the toolset is served where it is named."""
        return True

    @property
    def limit(self) -> str:
        """One limit for all its tools together, in the grammar of `limits`; empty, each has its own."""
        return ""


class StdioSettings(McpSettings):
    """Those of the stdio process and its sign-in."""

    database_url: SecretStr | None = Field(
        None, description="`postgresql://…` in production; unset, an SQLite file in `DATA_DIR`."
    )
    mindsai_api_key: Annotated[SecretStr | None, BeforeValidator(_trimmed)] = Field(
        None, description="The caller's key, for stdio."
    )


def wrong_settings(*models: type[BaseSettings], **source: Any) -> list[str]:
    """What is wrong with the environment, or another `source`, for each of these, as `settings_problems`."""
    problems = []
    for model in models:
        try:
            model(**source)
        except ValidationError as error:
            problems += settings_problems(error, model.model_config.get("env_prefix", ""))
    return problems


def settings_problems(error: ValidationError, prefix: str = "") -> list[str]:
    """What is wrong with the environment, a line for each setting, without the values."""
    # What is wrong between two settings has no place; its message names them.
    return [
        "".join(f"{prefix}{name}: ".upper() for name in fault["loc"][:1]) + fault["msg"].removeprefix("Value error, ")
        for fault in error.errors(include_input=False, include_url=False)
        if fault["type"] != "default_factory_not_called"  # SITE_URL, for want of a right HOST or PORT
    ]


ONE_SLIP, TWO_SLIPS = 8, 14
"""Characters of a setting's name from which a variable that misses it by so much is taken for it."""
SIMILAR = 0.7
FOREIGN = frozenset({
    "database_uri", "datadir", "llm_api_keys", "llm_models", "loglevel", "redis_uri", "site_uri", "siteurl", "toolset",
})  # fmt: skip
"""Variables of other software that are one slip away from a setting."""


def unknown_settings(
    models: Iterable[type[BaseSettings]], env_file: Path = Path(".env"), *, owns_file: bool = True
) -> list[str]:
    """Names that are no setting of `models` and were meant as one: a line for each, without the values.

    In a settings file of our own that is every unknown name. The environment is everybody's, so there a name counts
    only where it misses a setting by a slip of the hand, and that setting itself is not given.
    """
    known = {f"{one.model_config.get('env_prefix') or ''}{name}".lower() for one in models for name in one.model_fields}
    in_file = dict(DotEnvSettingsSource(McpSettings, env_file=env_file).env_vars)
    given = {**EnvSettingsSource(McpSettings).env_vars, **in_file}
    problems = []
    for name in sorted(given.keys() - known):
        is_ours = owns_file and name in in_file
        meant = [one for one in sorted(known - given.keys()) if _is_slip(name, one)]
        if is_ours and not meant:
            nearest = max(sorted(known), key=partial(OSA.normalized_similarity, name))
            meant = [nearest] if OSA.normalized_similarity(name, nearest) >= SIMILAR else []
        if meant or is_ours:
            hint = f"did you mean {meant[0].upper()}?" if meant else f"{env_file} is for settings of this gateway"
            problems.append(f"unknown setting {name.upper()}: {hint}")
    return problems


def _is_slip(name: str, setting: str) -> bool:
    slips = (len(setting) >= ONE_SLIP) + (len(setting) >= TWO_SLIPS)
    return name[0] == setting[0] and name not in FOREIGN and OSA.distance(name, setting) <= slips
