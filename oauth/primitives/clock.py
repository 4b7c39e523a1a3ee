"""The time of day, for the entry points and defaults that hand it to decisions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
utc_now: Callable[[], datetime] = partial(datetime.now, UTC)
