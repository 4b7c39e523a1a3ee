"""The time of day."""

from datetime import UTC, datetime, timedelta

from oauth.primitives.clock import utc_now


def test_the_time_is_now_and_knows_its_zone() -> None:
    now = utc_now()

    assert now.utcoffset() == timedelta()
    assert abs(datetime.now(UTC) - now) < timedelta(minutes=1)
