"""Answers are stored as they arrive, together where they arrive together, and when the work is stopped."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import event, update

from app.internal_api.panels.answer_writer import AnswerWriter
from app.internal_api.panels.dependencies import ClaimedQuestion, EventHub, PanelDependencies
from app.internal_api.panels.outcomes import Outcome
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.question_claims import claim_question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.panels import MadePanel, make_panel, queue, stored
from tests.app.internal_api.support import FakeSearch, World, within

NAMES = [f"Mind {number}" for number in range(5)]


async def _claimed(world: World) -> tuple[ClaimedQuestion, MadePanel]:
    made = await make_panel(world.engine, {"Old": NAMES})
    await queue(world, made)
    question = await claim_question(world.engine, "me", world.clock(), 15_000)
    assert question is not None
    search = FakeSearch(world.engine)
    means = PanelDependencies(world.engine, world.persona_engine, search, world.settings, EventHub(), world.clock)
    return ClaimedQuestion(question, Lease(question.id, "me", 15_000, questions), means), made


def _landed(made: MadePanel, number: int) -> Outcome:
    return Outcome(made.minds[NAMES[number]], {"status": "answered", "value": str(number)})


async def _values(panel: ClaimedQuestion) -> list[str | None]:
    return [answer.value for answer in (await stored(panel.dependencies.engine, panel.question.id))[1]]


async def test_what_lands_together_is_stored_together_and_told(world: World) -> None:
    panel, made = await _claimed(world)
    scribe, commits = AnswerWriter(panel, 10), _count_commits(world)
    for number in range(5):
        await scribe.add(_landed(made, number))
    scribe.close()

    with panel.dependencies.hub.subscribe(panel.question.id) as news:
        await within(scribe.run())

        assert news.is_set()
    assert await _values(panel) == ["0", "1", "2", "3", "4"]
    assert commits == [1]


async def test_who_brings_more_than_there_is_room_for_waits_until_something_is_stored(world: World) -> None:
    panel, made = await _claimed(world)
    scribe = AnswerWriter(panel, 2)
    await scribe.add(_landed(made, 0))
    waiting = asyncio.create_task(scribe.add(_landed(made, 1)))
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
    scribe = AnswerWriter(panel, 10)
    storing = asyncio.create_task(scribe.run())
    await asyncio.sleep(0)

    await scribe.add(_landed(made, 3))
    storing.cancel()
    await asyncio.wait({storing})

    assert storing.cancelled()
    assert await _values(panel) == [None, None, None, "3", None]


async def test_who_lost_the_question_stores_nothing(world: World) -> None:
    panel, made = await _claimed(world)
    scribe = AnswerWriter(panel, 10)
    await scribe.add(_landed(made, 0))
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
