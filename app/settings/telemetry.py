"""The settings of what the process tells about itself: log, metrics, traces. A part of `Settings`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings

Sampler = Literal[
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
]


def _collector(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("write it as http://host:4318 or https://…, without /v1/traces")
    return text.rstrip("/")


def _pairs(text: SecretStr) -> SecretStr:
    if not all("=" in pair for pair in text.get_secret_value().split(",")):
        raise ValueError("write it as name=value,name=value")
    return text


class TelemetrySettings(BaseSettings):
    """Names that begin with OTEL and PROMETHEUS are the standard ones of those projects."""

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important lines that are logged; requests and calls are `info`."
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
    otel_traces_sampler: Sampler = Field(
        "parentbased_traceidratio", description="Which traces are kept, in OpenTelemetry's words."
    )
    otel_traces_sampler_arg: float = Field(
        1.0, ge=0, le=1, description="The share of traces that is kept where no caller has decided."
    )
    otel_sdk_disabled: bool = Field(default=False, description="Make no spans although there is a collector.")
