"""How long an answer may be kept, by its own headers (RFC 9111 section 4.2) and within our bounds. Pure."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

UNSAID = timedelta(minutes=5)  # what says nothing about itself is kept as long as the clients keep our own metadata
LONGEST = timedelta(days=1)
_MAX_DIGITS = 10


def lifetime(headers: Mapping[str, str], now: datetime) -> timedelta:
    """For how long an answer that came `now` is fresh; zero means that it must not be kept.

    `headers` have names in lower case. Contradictions and nonsense count as zero: asking again is always right.
    """
    directives = _directives(headers.get("cache-control", ""))
    if directives.keys() & {"no-store", "no-cache"}:
        return timedelta()
    said = directives.get("s-maxage", directives.get("max-age"))
    if said is not None:
        left = _seconds(said) - _seconds(headers.get("age", "0"))
    elif "expires" in headers:
        left = _until(headers["expires"], now)
    else:
        left = UNSAID
    return max(timedelta(), min(left, LONGEST))


def _directives(header: str) -> dict[str, str]:
    pairs = (directive.strip().lower().partition("=") for directive in header.split(","))
    return {name.strip(): value.strip(' "') for name, _, value in pairs if name}


def _seconds(text: str) -> timedelta:
    if not (text.isascii() and text.isdigit()):
        return timedelta()
    return timedelta(seconds=int(text[:_MAX_DIGITS]))


def _until(expires: str, now: datetime) -> timedelta:
    try:
        return parsedate_to_datetime(expires).astimezone(now.tzinfo) - now
    except (ValueError, OverflowError):
        return timedelta()
