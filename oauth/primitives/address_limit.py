"""A limit on what strangers make us do, counted in this process: no stranger may cause a write that only counts."""

from collections import OrderedDict, deque
from datetime import datetime, timedelta
from math import ceil

from oauth.errors import TooManyRequests

MAX_PLACES = 10_000


class AddressLimit:
    """At most `times` within any `window` for each place; a sliding window, so that its edge gives no second burst.

    Hosted clients share few addresses, so `times` is for all users behind one of them.
    """

    def __init__(self, times: int, window: timedelta, *, places: int = MAX_PLACES) -> None:
        self._times, self._window, self._places = times, window, places
        self._seen: OrderedDict[str, deque[datetime]] = OrderedDict()

    def check(self, place: str, now: datetime) -> None:
        """Refuse while the place has had enough. Nothing is counted, so that the pause ends by itself.

        Raises `TooManyRequests`: there were enough.
        """
        seen = self._seen.get(place, ())
        recent = [at for at in seen if at > now - self._window]
        if len(recent) >= self._times:
            wait = ceil((recent[0] + self._window - now).total_seconds())
            raise TooManyRequests("Too many requests from this address; try again later.", max(1, wait))

    def count(self, place: str, now: datetime) -> None:
        """Count one attempt. Raises `TooManyRequests`: there were enough; this one is not counted."""
        seen = self._seen.setdefault(place, deque(maxlen=self._times))
        self._seen.move_to_end(place)
        while len(self._seen) > self._places:  # the place that has been quiet for longest
            self._seen.popitem(last=False)
        self.check(place, now)
        seen.append(now)
