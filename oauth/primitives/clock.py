"""The time of day, for the entry points and defaults that hand it to decisions."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def utc_now() -> datetime:
    return datetime.now(UTC)
