"""The settings of operations: serving, limits and the audit log; log, metrics and traces."""

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from app.limits.redis_url import redis_address
from app.settings.origins import each
from mcp_server.limits.rules import read_tools
from mcp_server.settings import Count, McpSettings, Names, Seconds

OAUTH_ENDPOINTS = frozenset({"register", "token", "revoke", "introspect", "device"})
SINKS = ("file", "database", "stdout", "syslog")
CONTACT_FORM = re.compile(r"(mailto:[^\s@]+@[^\s@]+|https://\S+|tel:\+?[0-9-]+)", re.ASCII)
SAMPLERS = Literal[
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
]


def _redis_url(text: SecretStr) -> SecretStr:
    redis_address(text.get_secret_value())
    return text


def _oauth(text: str) -> str:
    if unknown := set(read_tools(text)) - OAUTH_ENDPOINTS:
        raise ValueError(f"there is no {', '.join(sorted(unknown))}; name {', '.join(sorted(OAUTH_ENDPOINTS))}")
    return text


def _sink(name: str) -> str:
    if name not in SINKS:
        raise ValueError(f"{name!r} is no sink; there is: {', '.join(SINKS)}")
    return name


def _syslog(text: str) -> str:
    parts = urlsplit(text)
    is_local = parts.scheme == "unix" and bool(parts.path) and not parts.netloc
    if not is_local and not (parts.scheme in {"udp", "tcp"} and parts.hostname and parts.port):
        raise ValueError("write it as udp://host:514, tcp://host:601 or unix:///dev/log")
    return text


def _collector(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("write it as http://host:4318 or https://…, without /v1/traces")
    return text.rstrip("/")


def _pairs(text: SecretStr) -> SecretStr:
    if not all("=" in pair for pair in text.get_secret_value().split(",")):
        raise ValueError("write it as name=value,name=value")
    return text


def _contact(text: str) -> str:
    if CONTACT_FORM.fullmatch(text) is None:
        raise ValueError("write it as mailto:security@your.domain or as an https:// address")
    return text


class OperationSettings(McpSettings):
    """The part of `Settings` about serving: what strangers can hold, how a process ends, limits and the audit log."""

    max_connections: int = Field(
        4_000,
        ge=16,
        le=100_000,
        description="Open connections of one process; less where its file descriptors are few.",
    )
    max_calls_at_once: int = Field(
        100, ge=1, le=10_000, description="Calls and streams that one account, or one address, has open at once."
    )
    body_seconds: Seconds = Field(
        30, description="Seconds in which a request's body must come; large ones get a second more for each 32 KiB."
    )
    keep_alive_seconds: Annotated[int, Field(ge=1, le=3600)] = Field(
        75, description="Seconds for which an idle connection is kept; a proxy's own limit in front must be shorter."
    )
    http_error_status: Literal["auto", "always"] = Field(
        "auto", description="`auto`: errors reach 2025-era MCP clients with status 200; `always`: with their own."
    )
    security_contact: Annotated[Names, each(_contact)] = Field(
        (), description="Where to report a vulnerability, for `security.txt`: `mailto:` or `https://`, comma-separated."
    )

    shutdown_seconds: Annotated[float, Field(ge=0, le=3600)] = Field(
        30, description="Seconds that running requests and streams have to finish when the process is told to end."
    )
    shutdown_notice_seconds: Annotated[float, Field(ge=0, le=300)] = Field(
        0, description="Seconds between readiness going off and the port closing; for a proxy that asks `/readyz`."
    )

    cache_token: Seconds = Field(60, description="Seconds for which a verified credential is remembered.")
    cache_latest_spark: Seconds = Field(1800, description="Seconds for which a widget finds the latest persona.")
    cache_widget_token: Seconds = Field(300, description="Seconds for which a widget's token is valid.")

    redis_url: Annotated[SecretStr, AfterValidator(_redis_url)] | None = Field(
        None,
        description="`redis://…`, `rediss://…`, `redis+sentinel://…`, `redis+cluster://…`; needed for several workers.",
    )
    redis_patience_seconds: float = Field(
        0.25, gt=0, le=5, description="Silence of Redis after which each process counts by itself."
    )
    rate_limit_oauth: Annotated[str, AfterValidator(_oauth)] = Field(
        "register=60/10minutes,token=600/minute,revoke=600/minute,device=600/minute",
        description="Requests of one address to the OAuth endpoints of machines; one that is not named has no limit.",
    )
    rate_limit_workers: Count = Field(
        1, description="Processes that share Redis, for their parts while it is away; `serve --workers` sets it."
    )

    audit_sink: Annotated[Names, each(_sink)] = Field(
        ("file", "database"),
        description="Sinks of the audit log: `file`, `database`, `stdout`, `syslog`, comma-separated.",
    )
    audit_queue: int = Field(
        10_000, ge=1_000, le=1_000_000, description="Events that wait in memory while a sink of the audit log fails."
    )
    audit_syslog_address: Annotated[str, AfterValidator(_syslog)] | None = Field(
        None, description="For the sink `syslog`: `udp://host:514`, `tcp://host:601` or `unix:///dev/log`."
    )

    @model_validator(mode="after")
    def _sinks_are_whole(self) -> "OperationSettings":
        if "syslog" in self.audit_sink and self.audit_syslog_address is None:
            raise ValueError("AUDIT_SYSLOG_ADDRESS: is missing; AUDIT_SINK names syslog")
        return self


class TelemetrySettings(BaseSettings):
    """Names that begin with OTEL and PROMETHEUS are the standard ones of those projects."""

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important lines that are logged; requests and calls are `info`."
    )
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="`console` for people, `json` for machines; `auto` is for people on a terminal."
    )
    metrics_enabled: bool = Field(default=True, description="Whether anything is counted, and `/metrics` is there.")
    prometheus_multiproc_dir: Path | None = Field(
        None, description="Folder in which several workers count together, emptied at the start; unset, a new one."
    )
    otel_exporter_otlp_endpoint: Annotated[str, AfterValidator(_collector)] | None = Field(
        None, description="Address of an OpenTelemetry collector (OTLP over HTTP); unset, no spans are made."
    )
    otel_exporter_otlp_headers: Annotated[SecretStr, AfterValidator(_pairs)] | None = Field(
        None, description="Headers for the collector, as `name=value,name=value`."
    )
    otel_service_name: str = Field("minds-gateway", min_length=1, description="The name of this service in traces.")
    otel_traces_sampler: SAMPLERS = Field(
        "parentbased_traceidratio", description="Which traces are kept, in OpenTelemetry's words."
    )
    otel_traces_sampler_arg: float = Field(
        1.0, ge=0, le=1, description="The share of traces that is kept where no caller has decided."
    )
    otel_sdk_disabled: bool = Field(default=False, description="Make no spans although there is a collector.")
