"""Where a request comes from, and a limit on what strangers make us do, counted in this process.

No stranger may cause a write that only counts.
"""

import ipaddress
from collections import OrderedDict, deque
from datetime import datetime, timedelta
from functools import lru_cache
from math import ceil

from oauth.errors import TooManyRequests

IPV6_SITE = 64
REMEMBERED = 4_096  # addresses, each of which is asked about several times in every request


@lru_cache(REMEMBERED)
def network_key(address: str) -> str:
    """One form for the many spellings of an address; an IPv6 site is one place, because it has 2**64 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, IPV6_SITE), strict=False))


MAX_PLACES = 10_000
REFUSAL = "Too many requests from this address; try again later."


class AddressLimit:
    """At most `times` within any `window` for each place; a sliding window, so that its edge gives no second burst.

    Hosted clients share few addresses, so `times` is for all users behind one of them. `refusal` is what is said.
    """

    def __init__(self, times: int, window: timedelta, refusal: str = REFUSAL, *, places: int = MAX_PLACES) -> None:
        self._times, self._window, self._refusal, self._places = times, window, refusal, places
        self._seen: OrderedDict[str, deque[datetime]] = OrderedDict()

    def check(self, place: str, now: datetime) -> None:
        """Refuse while the place has had enough. Nothing is counted, so that the pause ends by itself.

        Raises `TooManyRequests`: there were enough.
        """
        seen = self._seen.get(place, ())
        recent = [at for at in seen if at > now - self._window]
        if len(recent) >= self._times:
            wait = ceil((recent[0] + self._window - now).total_seconds())
            raise TooManyRequests(self._refusal, max(1, wait))

    def count(self, place: str, now: datetime) -> None:
        """Count one attempt. Raises `TooManyRequests`: there were enough; this one is not counted."""
        seen = self._seen.setdefault(place, deque(maxlen=self._times))
        self._seen.move_to_end(place)
        while len(self._seen) > self._places:  # the place that has been quiet for longest
            self._seen.popitem(last=False)
        self.check(place, now)
        seen.append(now)
