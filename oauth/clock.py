"""The time of day, for the entry points and defaults that hand it to decisions."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)
