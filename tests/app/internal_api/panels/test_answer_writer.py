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
    dependencies = PanelDependencies(
        world.engine, world.persona_engine, search, world.settings, EventHub(), world.clock
    )
    return ClaimedQuestion(question, Lease(question.id, "me", 15_000, questions), dependencies), made


def _outcome(made: MadePanel, number: int) -> Outcome:
    return Outcome(made.minds[NAMES[number]], {"status": "answered", "value": str(number)})


async def _values(claimed: ClaimedQuestion) -> list[str | None]:
    return [answer.value for answer in (await stored(claimed.dependencies.engine, claimed.question.id))[1]]


async def test_what_arrives_together_is_stored_together_and_notified_and_clears_the_attempts(world: World) -> None:
    claimed, made = await _claimed(world)
    async with world.engine.begin() as connection:
        await connection.execute(update(questions).values(attempt=3))
    writer, commits = AnswerWriter(claimed, 10), _count_commits(world)
    for number in range(5):
        await writer.add(_outcome(made, number))
    writer.close()

    with claimed.dependencies.hub.subscribe(claimed.question.id) as changed:
        await within(writer.run())

        assert changed.is_set()
    assert await _values(claimed) == ["0", "1", "2", "3", "4"]
    assert commits == [1]
    assert (await stored(world.engine, claimed.question.id))[0].attempt == 1


async def test_who_brings_more_than_there_is_room_for_waits_until_something_is_stored(world: World) -> None:
    claimed, made = await _claimed(world)
    writer = AnswerWriter(claimed, 2)
    await writer.add(_outcome(made, 0))
    waiting = asyncio.create_task(writer.add(_outcome(made, 1)))
    await asyncio.sleep(0)
    waited = not waiting.done()

    storing = asyncio.create_task(writer.run())
    await within(waiting)
    writer.close()
    await within(storing)

    assert waited
    assert await _values(claimed) == ["0", "1", None, None, None]


async def test_what_is_in_hand_is_stored_when_the_work_is_stopped(world: World) -> None:
    claimed, made = await _claimed(world)
    writer = AnswerWriter(claimed, 10)
    storing = asyncio.create_task(writer.run())
    await asyncio.sleep(0)

    await writer.add(_outcome(made, 3))
    storing.cancel()
    await asyncio.wait({storing})

    assert storing.cancelled()
    assert await _values(claimed) == [None, None, None, "3", None]


async def test_who_lost_the_question_stores_nothing(world: World) -> None:
    claimed, made = await _claimed(world)
    writer = AnswerWriter(claimed, 10)
    await writer.add(_outcome(made, 0))
    async with world.engine.begin() as connection:
        await connection.execute(update(questions).values(lease_owner="another"))

    with pytest.raises(LeaseLost):
        await within(writer.run())

    assert await _values(claimed) == [None] * 5


def _count_commits(world: World) -> list[int]:
    counted = [0]

    def count(_connection: Any) -> None:
        counted[0] += 1

    event.listen(world.engine.sync_engine, "commit", count)
    return counted
