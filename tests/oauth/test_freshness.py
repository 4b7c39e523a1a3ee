"""How long an answer may be kept."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.primitives.cached_fetch import LONGEST, UNSAID, lifetime

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.mark.security("CI-09")
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"cache-control": "max-age=60"}, 60),
        ({"cache-control": 'Public, MAX-AGE="60"'}, 60),
        ({"cache-control": "max-age=60, s-maxage=30"}, 30),
        ({"cache-control": "max-age=60", "age": "20"}, 40),
        ({"cache-control": "max-age=60", "age": "90"}, 0),
        ({"cache-control": "max-age=60", "expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, 60),
        ({"expires": "Fri, 20 Nov 2026 09:01:00 GMT"}, 60),
        ({"expires": "Fri, 20 Nov 2026 08:01:00 GMT"}, 0),
        ({"expires": "0"}, 0),
        ({"cache-control": "no-store, max-age=60"}, 0),
        ({"cache-control": "no-cache"}, 0),
        ({"cache-control": "max-age=-1"}, 0),
        ({"cache-control": "max-age=soon"}, 0),
        ({"cache-control": "max-age=0"}, 0),
        ({"cache-control": "max-age=999999999999999999999"}, LONGEST.total_seconds()),
        ({}, UNSAID.total_seconds()),
        ({"cache-control": "public"}, UNSAID.total_seconds()),
    ],
)
def test_an_answer_is_kept_as_long_as_it_says_within_our_bounds(headers: dict[str, str], seconds: float) -> None:
    assert lifetime(headers, NOW).total_seconds() == seconds


@given(st.dictionaries(st.sampled_from(["cache-control", "expires", "age"]), st.text(max_size=30)))
def test_no_header_keeps_an_answer_for_ever_or_breaks_anything(headers: dict[str, str]) -> None:
    assert timedelta() <= lifetime(headers, NOW) <= LONGEST
