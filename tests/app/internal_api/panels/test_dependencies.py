"""The event hub reaches subscribers, the drain lets requests finish, a lost lease undoes a write."""

import asyncio

import pytest

from app.internal_api.panels.dependencies import ClaimedQuestion, Drain, EventHub, PanelDependencies
from app.internal_api.store.answers import end_pending, pending_minds
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.questions import claim_question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.panels import make_panel, queue, stored
from tests.app.internal_api.support import FakeSearch, World


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


async def test_a_write_extends_the_lease_and_is_undone_when_that_is_lost(world: World) -> None:
    await queue(world, await make_panel(world.engine, {"Old": ["Ada"]}))
    question = await claim_question(world.engine, "me", world.clock(), 1_000)
    assert question is not None
    dependencies = PanelDependencies(
        world.engine, world.persona_engine, FakeSearch(world.engine), world.settings, EventHub(), world.clock
    )
    mine = ClaimedQuestion(question, Lease(question.id, "me", 5_000, questions), dependencies)
    lost = ClaimedQuestion(question, Lease(question.id, "you", 5_000, questions), dependencies)

    async with mine.write(attempt=7):
        pass
    with pytest.raises(LeaseLost):
        async with lost.write() as connection:
            await end_pending(connection, question.id, "NO", 1)

    held, _ = await stored(world.engine, question.id)
    assert (held.attempt, held.lease_until) == (7, world.clock() + 5_000)
    async with mine.read() as connection:
        assert len(await pending_minds(connection, question.id)) == 1
