"""Answers are stored as they land, together where they land together, and those in hand when the work is stopped."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import event, update

from app.internal_api.panels.hub import Hub
from app.internal_api.panels.landing import Landed
from app.internal_api.panels.panel import Means, Panel
from app.internal_api.panels.scribe import Scribe
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.questions import claim_question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.panels import MadePanel, make_panel, queue, stored
from tests.app.internal_api.support import FakeSearch, World, within

NAMES = [f"Mind {number}" for number in range(5)]


async def _claimed(world: World) -> tuple[Panel, MadePanel]:
    made = await make_panel(world.engine, {"Old": NAMES})
    await queue(world, made)
    question = await claim_question(world.engine, "me", world.clock(), 15_000)
    assert question is not None
    search = FakeSearch(world.engine)
    means = Means(world.engine, world.persona_engine, search, world.settings, Hub(), world.clock)
    return Panel(question, Lease(question.id, "me", 15_000, questions), means), made


def _landed(made: MadePanel, number: int) -> Landed:
    return Landed(made.minds[NAMES[number]], {"status": "answered", "value": str(number)})


async def _values(panel: Panel) -> list[str | None]:
    return [answer.value for answer in (await stored(panel.means.engine, panel.question.id))[1]]


async def test_what_lands_together_is_stored_together_and_told(world: World) -> None:
    panel, made = await _claimed(world)
    scribe, commits = Scribe(panel, 10), _count_commits(world)
    for number in range(5):
        await scribe.take(_landed(made, number))
    scribe.close()

    with panel.means.hub.following(panel.question.id) as news:
        await within(scribe.run())

        assert news.is_set()
    assert await _values(panel) == ["0", "1", "2", "3", "4"]
    assert commits == [1]


async def test_who_brings_more_than_there_is_room_for_waits_until_something_is_stored(world: World) -> None:
    panel, made = await _claimed(world)
    scribe = Scribe(panel, 2)
    await scribe.take(_landed(made, 0))
    waiting = asyncio.create_task(scribe.take(_landed(made, 1)))
    await asyncio.sleep(0)
    waited = not waiting.done()

    storing = asyncio.create_task(scribe.run())
    await within(waiting)
    scribe.close()
    await within(storing)

    assert waited
    assert await _values(panel) == ["0", "1", None, None, None]


async def test_what_is_in_hand_is_stored_when_the_work_is_stopped(world: World) -> None:
    panel, made = await _claimed(world)
    scribe = Scribe(panel, 10)
    storing = asyncio.create_task(scribe.run())
    await asyncio.sleep(0)

    await scribe.take(_landed(made, 3))
    storing.cancel()
    await asyncio.wait({storing})

    assert storing.cancelled()
    assert await _values(panel) == [None, None, None, "3", None]


async def test_who_lost_the_question_stores_nothing(world: World) -> None:
    panel, made = await _claimed(world)
    scribe = Scribe(panel, 10)
    await scribe.take(_landed(made, 0))
    async with world.engine.begin() as connection:
        await connection.execute(update(questions).values(lease_owner="another"))

    with pytest.raises(LeaseLost):
        await within(scribe.run())

    assert await _values(panel) == [None] * 5


def _count_commits(world: World) -> list[int]:
    counted = [0]

    def count(_connection: Any) -> None:
        counted[0] += 1

    event.listen(world.engine.sync_engine, "commit", count)
    return counted
