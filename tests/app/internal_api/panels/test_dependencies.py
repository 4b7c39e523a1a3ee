"""The event hub reaches subscribers, the drain lets requests finish, a lost lease undoes a write."""

import asyncio

from app.internal_api.panels.dependencies import Drain, EventHub


def test_nothing_is_kept_of_a_question_without_subscribers() -> None:
    hub = EventHub()

    with hub.subscribe("a"):
        with hub.subscribe("a"):
            pass
        assert hub.subscribed == {"a"}
    hub.notify("a")

    assert hub.subscribed == frozenset()


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
