"""What this package asks of the guarded HTTP client for addresses that strangers name, kept for as long as it may be.

A metadata document or a key set may live anywhere, so whoever fetches it can be sent into our own network
(SSRF). This package therefore holds no HTTP client for it; it is handed a `Fetch`.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from oauth.errors import OauthError, TemporarilyUnavailable


class FetchRefused(OauthError):
    """The address is one that is never asked: private, or spelled deviously. Trying again changes nothing."""


class FetchFailed(OauthError):
    """No whole answer came within the limits."""


class TooLarge(FetchFailed):
    """There was more of it than is read."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer of whatever status. `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Fetch(Protocol):
    """Reaches public addresses only, connects to the very address that it checked, follows no redirect."""

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        """The answer to a GET without any credential.

        Raises `FetchRefused`: the address may not be asked; `TooLarge`: the body is larger than `max_bytes`, as sent or
        unpacked; `FetchFailed`: there was no whole answer within `seconds`.
        """


UNSAID = timedelta(minutes=5)  # what says nothing about itself is kept as long as the clients keep our own metadata
LONGEST = timedelta(days=1)
_MAX_DIGITS = 10


def lifetime(headers: Mapping[str, str]) -> timedelta:
    """For how long an answer is fresh by its `cache-control`; zero means that it must not be kept.

    `headers` have names in lower case. Contradictions and nonsense count as zero: asking again is always right.
    """
    pairs = (directive.strip().lower().partition("=") for directive in headers.get("cache-control", "").split(","))
    directives = {name.strip(): value.strip(' "') for name, _, value in pairs}
    if directives.keys() & {"no-store", "no-cache"}:
        return timedelta()
    seconds = directives.get("max-age")
    if seconds is None:
        return UNSAID
    if not (seconds.isascii() and seconds.isdigit()):
        return timedelta()
    return min(timedelta(seconds=int(seconds[:_MAX_DIGITS])), LONGEST)


Value = TypeVar("Value")
Load = Callable[[str, datetime], Awaitable[tuple[Value, timedelta]]]
"""Address and time to the value, and how long it is fresh; zero means that it is not kept."""

MAX_FLIGHTS = 64
HOLD_OFF = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """`ask_at` is when it is asked for again, `ends_at` when it no longer serves, whatever happens."""

    value: Value
    tried_at: datetime
    ask_at: datetime
    ends_at: datetime


class CachedFetch(Generic[Value]):
    """Values by address.

    A value that is no longer fresh still serves for `stale` when its place gives no answer, so that an outage
    elsewhere is none here. A refusal by that place ends the value. Faults are never kept: they cost as many
    fetches as `admit` lets through. What `admit` refuses is answered by no old value: whoever asks can bring that
    refusal about, and would choose the old value in place of what the other side says now.
    """

    def __init__(self, load: Load[Value], *, size: int = 1_000, stale: timedelta = timedelta(days=1)) -> None:
        self._load, self._size, self._stale = load, size, stale
        self._entries: OrderedDict[str, _Entry[Value]] = OrderedDict()
        self._flights: dict[str, asyncio.Task[Value]] = {}

    async def get(
        self, url: str, now: datetime, *, admit: Callable[[], None] = lambda: None, not_before: datetime | None = None
    ) -> Value:
        """The value; `admit` is asked before a fetch, `not_before` asks for one that was fetched later than that.

        Raises `FetchFailed`: there is no answer, and nothing to use instead; `TooManyRequests`: `admit` says so;
        `TemporarilyUnavailable`: too many fetches are under way. And whatever else the loading raises.
        """
        entry = self._entries.get(url)
        if entry is not None and now < entry.ask_at and (not_before is None or entry.tried_at > not_before):
            self._entries.move_to_end(url)
            if now >= entry.ends_at:
                raise FetchFailed("no answer a moment ago")
            return entry.value
        # Shielded: the caller who started the flight may hang up without ending it for the others.
        try:
            return await asyncio.shield(self._flight(url, now, admit))
        except FetchFailed:
            if entry is None or now >= entry.ends_at:
                raise
            return entry.value

    def holds(self, url: str) -> bool:
        """Whether it was read before, however long ago, and not refused since."""
        return url in self._entries

    def _flight(self, url: str, now: datetime, admit: Callable[[], None]) -> asyncio.Task[Value]:
        flight = self._flights.get(url)
        if flight is None:
            if len(self._flights) >= MAX_FLIGHTS:
                # Not a failed fetch: strangers can bring this about, and it says nothing about this address.
                raise TemporarilyUnavailable("Too many documents and keys are being fetched; try again.")
            admit()
            flight = self._flights[url] = asyncio.create_task(self._fill(url, now))
            flight.add_done_callback(lambda _done: self._flights.pop(url))
            # Seen: every caller may have hung up, and then nobody else looks at it.
            flight.add_done_callback(lambda done: done.cancelled() or done.exception())
        return flight

    async def _fill(self, url: str, now: datetime) -> Value:
        # The value leaves its place before anybody hears of a refusal, and stays in it while the asking lasts.
        try:
            value, fresh = await self._load(url, now)
        except FetchFailed:
            if (entry := self._entries.get(url)) is not None:
                self._keep(url, replace(entry, tried_at=now, ask_at=max(entry.ask_at, now + HOLD_OFF)))
            raise
        except OauthError:
            self._entries.pop(url, None)
            raise
        self._entries.pop(url, None)
        if fresh > timedelta():
            self._keep(url, _Entry(value, now, now + fresh, now + fresh + self._stale))
        return value

    def _keep(self, url: str, entry: _Entry[Value]) -> None:
        self._entries[url] = entry
        self._entries.move_to_end(url)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)
