"""What was fetched is kept for as long as it may be, and asked for once however many ask."""

import asyncio
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import InvalidClient, TemporarilyUnavailable, TooManyRequests
from oauth.primitives.fetching import HOLD_OFF, LONGEST, MAX_FLIGHTS, UNSAID, CachedFetch, FetchFailed, lifetime
from tests.oauth.clients import NOW

MINUTE = timedelta(minutes=1)


def free() -> None:
    """No limit."""


class Source:
    """Counts what is loaded; `fault` is raised instead."""

    def __init__(self, fresh: timedelta = MINUTE) -> None:
        self.fresh, self.loads = fresh, 0
        self.gate: asyncio.Event | None = None
        self.fault: Exception | None = None

    async def load(self, _url: str, _now: datetime) -> tuple[int, timedelta]:
        self.loads += 1
        number = self.loads
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return number, self.fresh


@pytest.mark.security("CI-10")
async def test_many_at_once_cost_one_fetch_and_one_who_leaves_does_not_end_it() -> None:
    source = Source()
    source.gate = asyncio.Event()
    values = CachedFetch(source.load)
    askers = [asyncio.create_task(values.get("a", NOW, admit=free)) for _ in range(5)]
    await asyncio.sleep(0)

    askers[0].cancel()
    await asyncio.sleep(0)
    source.gate.set()

    assert (await asyncio.gather(*askers[1:])) == [1] * 4


async def test_an_outage_is_bridged_for_a_while_and_not_asked_about_all_the_time() -> None:
    source = Source()
    values = CachedFetch(source.load, stale=timedelta(hours=1))
    await values.get("a", NOW, admit=free)
    source.fault = FetchFailed()

    assert await values.get("a", NOW + MINUTE, admit=free) == 1
    assert await values.get("a", NOW + MINUTE + HOLD_OFF / 2, admit=free) == 1
    assert source.loads == 2
    assert await values.get("a", NOW + MINUTE + HOLD_OFF, admit=free) == 1
    assert source.loads == 3
    with pytest.raises(FetchFailed):
        await values.get("a", NOW + timedelta(hours=1, minutes=1), admit=free)


async def test_a_fault_is_not_remembered() -> None:
    source = Source()
    values = CachedFetch(source.load)
    source.fault = FetchFailed()
    with pytest.raises(FetchFailed):
        await values.get("a", NOW, admit=free)

    source.fault = None

    assert await values.get("a", NOW, admit=free) == 2


async def test_a_refusal_ends_the_value() -> None:
    source = Source()
    values = CachedFetch(source.load)
    await values.get("a", NOW, admit=free)
    source.fault = InvalidClient()
    with pytest.raises(InvalidClient):
        await values.get("a", NOW + MINUTE, admit=free)

    source.fault = FetchFailed()

    with pytest.raises(FetchFailed):
        await values.get("a", NOW + MINUTE, admit=free)


async def test_a_limit_is_asked_before_a_fetch_only_and_no_old_value_serves_beyond_it() -> None:
    source = Source()
    values = CachedFetch(source.load)

    def full() -> None:
        raise TooManyRequests("Wait.", 1)

    with pytest.raises(TooManyRequests):
        await values.get("a", NOW, admit=full)
    await values.get("a", NOW, admit=free)

    assert await values.get("a", NOW, admit=full) == 1
    with pytest.raises(TooManyRequests):
        await values.get("a", NOW + MINUTE, admit=full)
    assert source.loads == 1


@pytest.mark.security("CI-10")
async def test_few_are_kept_and_few_are_under_way() -> None:
    source = Source()
    values = CachedFetch(source.load, size=2)
    for url in ("a", "b", "a", "c", "a"):
        await values.get(url, NOW, admit=free)
    assert source.loads == 3

    await values.get("b", NOW, admit=free)
    assert source.loads == 4

    source.gate = asyncio.Event()
    flying = [asyncio.create_task(values.get(f"x{n}", NOW, admit=free)) for n in range(MAX_FLIGHTS)]
    await asyncio.sleep(0)
    with pytest.raises(TemporarilyUnavailable):
        await values.get("y", NOW, admit=free)
    source.gate.set()
    await asyncio.gather(*flying)


@pytest.mark.security("CI-09")
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"cache-control": "max-age=60"}, 60),
        ({"cache-control": 'Public, MAX-AGE="60"'}, 60),
        ({"cache-control": "max-age=60", "expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, 60),
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
    assert lifetime(headers).total_seconds() == seconds


@given(st.dictionaries(st.just("cache-control"), st.text(max_size=30)))
def test_no_header_keeps_an_answer_for_ever_or_breaks_anything(headers: dict[str, str]) -> None:
    assert timedelta() <= lifetime(headers) <= LONGEST
