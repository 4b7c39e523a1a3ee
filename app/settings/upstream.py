"""The settings of the way to the internal API: breakers, timeouts, and how long answers are remembered."""

from dataclasses import dataclass

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.types import Count, Seconds


@dataclass(frozen=True, slots=True)
class Breaker:
    """When to stop asking an upstream, and when to ask again."""

    failures: int
    reset_seconds: float
    successes: int


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that each kind of call may take."""

    default: float
    create: float
    chat: float
    polling: float


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Seconds that each cache keeps an answer."""

    create_dedup: float
    token: float
    latest_spark: float
    widget_token: float
    recent_spark: float


class UpstreamSettings(BaseSettings):
    """The seed's tables; a part of `Settings`."""

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

    @property
    def breaker(self) -> Breaker:
        return Breaker(self.breaker_failures, self.breaker_reset_seconds, self.breaker_successes)

    @property
    def timeouts(self) -> Timeouts:
        return Timeouts(self.timeout_default, self.timeout_create, self.timeout_chat, self.timeout_polling)

    @property
    def lifetimes(self) -> Lifetimes:
        return Lifetimes(
            create_dedup=self.cache_create_dedup,
            token=self.cache_token,
            latest_spark=self.cache_latest_spark,
            widget_token=self.cache_widget_token,
            recent_spark=self.cache_recent_spark,
        )
