"""The event hub reaches subscribers, the drain lets requests finish, a lost lease undoes a write."""

import asyncio

import pytest

from app.internal_api.panels.dependencies import ClaimedQuestion, Drain, EventHub, PanelDependencies
from app.internal_api.store.answering import end_pending, pending_minds
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.question_claims import claim_question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.panels import make_panel, queue, stored
from tests.app.internal_api.support import FakeSearch, World


def test_all_followers_of_a_question_are_woken_and_no_others() -> None:
    hub = EventHub()

    with hub.subscribe("a") as first, hub.subscribe("a") as second, hub.subscribe("b") as other:
        hub.notify("a")

        assert (first.is_set(), second.is_set(), other.is_set()) == (True, True, False)


def test_nothing_is_kept_of_a_question_that_nobody_follows_any_more() -> None:
    hub = EventHub()

    with hub.subscribe("a"):
        with hub.subscribe("a"):
            pass
        assert hub.subscribed == {"a"}
    hub.notify("a")

    assert hub.subscribed == frozenset()


def test_who_follows_anew_while_others_leave_is_still_woken() -> None:
    hub = EventHub()
    with hub.subscribe("a"):
        pass

    with hub.subscribe("a") as news:
        hub.notify("a")

        assert news.is_set()


async def test_while_nothing_ends_everybody_has_their_turn_at_once() -> None:
    drain = Drain()

    await drain.admit()
    with drain.request():
        await drain.admit()


async def test_closing_waits_for_who_has_begun_and_lets_nobody_begin() -> None:
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


async def test_closing_waits_no_longer_than_it_is_told() -> None:
    drain = Drain()
    with drain.request():
        await drain.close(0)

    assert drain.closing


async def test_a_write_extends_the_lease_and_is_undone_when_that_is_lost(world: World) -> None:
    await queue(world, await make_panel(world.engine, {"Old": ["Ada"]}))
    question = await claim_question(world.engine, "me", world.clock(), 1_000)
    assert question is not None
    means = PanelDependencies(
        world.engine, world.persona_engine, FakeSearch(world.engine), world.settings, EventHub(), world.clock
    )
    mine = ClaimedQuestion(question, Lease(question.id, "me", 5_000, questions), means)
    lost = ClaimedQuestion(question, Lease(question.id, "you", 5_000, questions), means)

    async with mine.write(attempt=7):
        pass
    with pytest.raises(LeaseLost):
        async with lost.write() as connection:
            await end_pending(connection, question.id, "NO", 1)

    held, _ = await stored(world.engine, question.id)
    assert (held.attempt, held.lease_until) == (7, world.clock() + 5_000)
    async with mine.read() as connection:
        assert len(await pending_minds(connection, question.id)) == 1


async def test_news_are_told_to_those_who_follow_this_question(world: World) -> None:
    question_id = await queue(world, await make_panel(world.engine, {"Old": ["Ada"]}))
    question, _ = await stored(world.engine, question_id)
    hub = EventHub()
    search = FakeSearch(world.engine)
    means = PanelDependencies(world.engine, world.persona_engine, search, world.settings, hub, world.clock)

    with hub.subscribe(question_id) as news:
        ClaimedQuestion(question, Lease(question_id, "me", 1, questions), means).notify()

        assert news.is_set()
