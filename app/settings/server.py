"""The settings of serving: what strangers can hold, how a process ends, and how the internal API is called."""

import re
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.types import Count, Names, Seconds, each

CONTACT_FORM = re.compile(r"(mailto:[^\s@]+@[^\s@]+|https://\S+|tel:\+?[0-9-]+)", re.ASCII)


def _contact(text: str) -> str:
    if CONTACT_FORM.fullmatch(text) is None:
        raise ValueError("write it as mailto:security@your.domain or as an https:// address")
    return text


class ServerSettings(BaseSettings):
    """A part of `Settings`."""

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
    security_contact: Annotated[Names, each(_contact)] = Field(
        (), description="Where to report a vulnerability, for `security.txt`: `mailto:` or `https://`, comma-separated."
    )

    shutdown_seconds: Annotated[float, Field(ge=0, le=3600)] = Field(
        30, description="Seconds that running requests and streams have to finish when the process is told to end."
    )
    shutdown_notice_seconds: Annotated[float, Field(ge=0, le=300)] = Field(
        0, description="Seconds between readiness going off and the port closing; for a proxy that asks `/readyz`."
    )

    breaker_failures: Count = Field(5, description="Faults in a row that open a circuit breaker.")
    breaker_reset_seconds: Seconds = Field(30, description="How long an open breaker waits before a probe.")
    breaker_successes: Count = Field(2, description="Successful probes that close a breaker.")

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
    cache_token: Seconds = Field(60, description="Seconds for which a verified credential is remembered.")
    cache_latest_spark: Seconds = Field(1800, description="Seconds for which a widget finds the latest persona.")
    cache_widget_token: Seconds = Field(300, description="Seconds for which a widget's token is valid.")
    cache_recent_spark: Seconds = Field(30, description="Seconds for which a new persona is found by its caller.")
