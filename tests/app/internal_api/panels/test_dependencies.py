"""The event hub reaches subscribers, the drain lets requests finish, a lost lease undoes a write."""

import asyncio

from app.internal_api.worker_slots import Drain, EventHub


def test_all_subscribers_of_a_question_are_notified_and_no_others() -> None:
    hub = EventHub()

    with hub.subscribe("a") as first, hub.subscribe("a") as second, hub.subscribe("b") as other:
        hub.notify("a")

        assert (first.is_set(), second.is_set(), other.is_set()) == (True, True, False)


def test_nothing_is_kept_of_a_question_without_subscribers() -> None:
    hub = EventHub()

    with hub.subscribe("a"):
        with hub.subscribe("a"):
            pass
        assert set(hub.subscribers) == {"a"}
    hub.notify("a")

    assert not hub.subscribers


async def test_closing_waits_for_requests_that_have_begun_and_admits_none() -> None:
    drain = Drain()
    with drain.request():
        closing = asyncio.create_task(drain.close(60))
        await asyncio.sleep(0)
        late = asyncio.create_task(drain.admit())
        await asyncio.sleep(0)
        assert not closing.done()

    await closing
    assert not late.done()
    late.cancel()
