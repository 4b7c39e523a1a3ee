"""Nothing waits for it, nothing is lost silently, and what is fresh is seen at once."""

import logging
from collections.abc import Sequence
from datetime import datetime

import pytest

from oauth.activity import BATCH, Activity, Event
from oauth.errors import StoreUnavailable


class Rows:
    """The store at the edge: a list that can be out of reach."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.batches: list[int] = []
        self.reachable = True

    async def add_events(self, events: Sequence[Event]) -> None:
        if not self.reachable:
            raise StoreUnavailable
        self.events += events
        self.batches.append(len(events))

    async def list_events(self, user_id: str, most: int) -> Sequence[Event]:
        return [event for event in reversed(self.events) if event.user_id == user_id][:most]

    async def drop_events(self, before: datetime) -> None:
        self.events = [event for event in self.events if event.at >= before]


@pytest.fixture
def rows() -> Rows:
    return Rows()


async def test_events_are_written_in_batches_in_their_order(rows: Rows, now: datetime) -> None:
    activity = Activity(rows, lambda: now)
    for number in range(BATCH + 1):
        activity.note("ada", f"event {number}")

    await activity.write()
    await activity.write()

    assert rows.batches == [BATCH, 1]
    assert [event.event for event in rows.events[:2]] == ["event 0", "event 1"]


async def test_what_could_not_be_written_is_kept_for_the_next_time(rows: Rows, now: datetime) -> None:
    activity = Activity(rows, lambda: now)
    activity.note("ada", "signed_in")
    rows.reachable = False

    with pytest.raises(StoreUnavailable):
        await activity.write()
    rows.reachable = True
    await activity.write()

    assert [event.event for event in rows.events] == ["signed_in"]


async def test_what_does_not_fit_is_counted_in_the_log(
    rows: Rows, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    activity = Activity(rows, lambda: now, most=1)
    for _ in range(3):
        activity.note("ada", "signed_in")

    with caplog.at_level(logging.WARNING):
        await activity.write()

    assert len(rows.events) == 1
    assert "2 events" in caplog.text


async def test_a_person_sees_what_just_happened_once_and_nothing_of_others(rows: Rows, now: datetime) -> None:
    activity = Activity(rows, lambda: now)
    activity.note("ada", "signed_in")
    await activity.write()
    activity.note("ada", "key_created")
    activity.note("bob", "signed_in")

    assert [event.event for event in await activity.latest("ada")] == ["key_created", "signed_in"]
    assert len(await activity.latest("ada", 1)) == 1


async def test_the_name_of_an_app_is_kept_as_far_as_it_fits(rows: Rows, now: datetime) -> None:
    activity = Activity(rows, lambda: now)
    activity.note("ada", "app_allowed", "client", client_name="x" * 300)
    activity.note("ada", "signed_in")

    assert [event.client_name for event in await activity.latest("ada")] == [None, "x" * 200]
