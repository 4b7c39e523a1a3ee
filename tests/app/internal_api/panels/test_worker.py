"""Questions are worked on by one worker at a time, to a truthful end, and nobody is asked twice."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import event, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.engine import EngineUnavailable, SurveyQuestion
from app.internal_api.store.minds import Mind
from app.internal_api.store.questions import questions
from tests.app.internal_api.panels.panels import SCALE, held_up, make_panel, queue, stored, surveyed
from tests.app.internal_api.support import BOB, Gate, World, within

MANY = [f"Mind {number}" for number in range(12)]


async def test_as_many_as_allowed_are_asked_at_once_and_never_more(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    running, full = [0], asyncio.Event()
    seen = set()

    async def wait_for_ten(_persona: Mind, _question: SurveyQuestion) -> None:
        running[0] += 1
        seen.add(running[0])
        if running[0] == 10:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        running[0] -= 1

    world.persona_engine.on_survey = wait_for_ten
    question_id = await queue(world, panel)

    await within(world.ask_all())

    question, answers = await stored(world.engine, question_id)
    assert max(seen) == 10
    assert question.status == "completed"
    assert {answer.status for answer in answers} == {"answered"}


async def test_a_question_that_everybody_failed_is_completed_and_shows_it(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    world.persona_engine.down = EngineUnavailable("down", retryable=False)
    question_id = await queue(world, panel)
    world.clock.forward(5)

    await world.ask_all()

    question, answers = await stored(world.engine, question_id)
    assert (question.status, question.engine, question.lease_owner) == ("completed", "fake", None)
    assert question.completed_at == world.clock.now
    assert [answer.status for answer in answers] == ["failed", "failed"]


@pytest.mark.slow
async def test_a_question_that_a_fault_of_ours_interrupts_again_and_again_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]}, untrained=["Ben"])
    question_id = await queue(world, panel)

    async def fault(*_arguments: Any) -> list[str]:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("app.internal_api.panels.worker.pending_minds", fault)
        for _ in range(4):
            await world.ask_all()
            world.clock.forward(16)

    question, answers = await stored(world.engine, question_id)
    assert (question.status, question.attempt) == ("completed", 4)
    assert [(answer.status, answer.error_code) for answer in answers] == [
        ("failed", "INTERRUPTED"),
        ("failed", "NOT_READY"),
    ]


async def test_who_lost_the_question_writes_nothing_more(world: World) -> None:
    question_id = await queue(world, await make_panel(world.engine, {"Old": ["Ada", "Ben"]}))
    gate = world.persona_engine.gates["survey"] = Gate()
    slow = asyncio.create_task(world.api().panel_worker.work_once())
    await within(gate.reached.wait())
    async with world.engine.begin() as connection:
        await connection.execute(update(questions).values(lease_owner="another"))

    gate.open.set()
    await within(slow)

    question, answers = await stored(world.engine, question_id)
    assert (question.status, question.lease_owner) == ("running", "another")
    assert [answer.status for answer in answers] == ["pending", "pending"]


async def test_a_busy_database_delays_answers_and_loses_none(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    world.settings = world.settings.model_copy(update={"poll_seconds": 0.01})
    question_id = await queue(world, panel)
    refused = _refuse_writes(world.engine, times=6)

    await within(world.ask_all())

    _, answers = await stored(world.engine, question_id)
    assert refused == [0]
    assert {answer.status for answer in answers} == {"answered"}
    assert sorted(surveyed(world)) == sorted(MANY)


def _refuse_writes(engine: AsyncEngine, times: int) -> list[int]:
    """The next so many updates of answers, and completions of questions, meet a database that is busy."""
    left = [times]

    def refuse(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if left[0] and (statement.startswith("UPDATE answers") or "completed_at=" in statement):
            left[0] -= 1
            raise OperationalError(statement, {}, Exception("database is locked"))

    event.listen(engine.sync_engine, "before_cursor_execute", refuse)
    return left


async def test_two_processes_ask_everybody_once(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    question_id = await queue(world, panel)

    worked = await asyncio.gather(*(world.api().panel_worker.work_once() for _ in range(4)))

    assert sorted(worked) == [False, False, False, True]
    assert sorted(surveyed(world)) == sorted(MANY)
    assert (await stored(world.engine, question_id))[0].status == "completed"


async def test_a_process_that_is_stopped_gives_its_question_back_with_what_has_landed(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    gate = held_up(world, MANY[-1])
    question_id = await queue(world, panel)
    async with world.api(panel_drain_seconds=0).lifespan():
        await within(gate.reached.wait())
    gate.open.set()
    left, before = await stored(world.engine, question_id)

    await world.ask_all()

    question, answers = await stored(world.engine, question_id)
    landed = {answer.mind_name for answer in before if answer.status == "answered"}
    assert (left.status, left.lease_until, question.attempt) == ("running", 0, 1)
    assert question.status == "completed"
    assert {answer.status for answer in answers} == {"answered"}
    assert all(surveyed(world).count(name) == 1 for name in landed)
    assert [answer for answer in answers if answer.mind_name in landed] == [
        answer for answer in before if answer.mind_name in landed
    ]


@pytest.mark.slow
async def test_who_is_being_asked_when_the_process_ends_is_not_asked_again(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    gate = Gate()

    async def everybody_waits(_persona: Mind, _question: SurveyQuestion) -> None:
        await gate.passed()

    world.persona_engine.on_survey = everybody_waits
    question_id = await queue(world, panel)
    api = world.api(panel_concurrency=3)

    async def stop_while_asking() -> None:
        async with api.lifespan():
            await within(gate.reached.wait())
            asyncio.get_running_loop().call_later(0.05, gate.open.set)  # after the end has begun

    await within(stop_while_asking())
    _, before = await stored(world.engine, question_id)
    await world.ask_all()

    _, answers = await stored(world.engine, question_id)
    assert sum(answer.status == "answered" for answer in before) == 3
    assert {answer.status for answer in answers} == {"answered"}
    assert sorted(surveyed(world)) == sorted(MANY)


async def test_one_owner_does_not_keep_another_waiting(world: World) -> None:
    adas = [await make_panel(world.engine, {"Old": [f"Ada {number}"]}) for number in range(3)]
    bobs = await make_panel(world.engine, {"Old": ["Bo"]}, owner=BOB)
    for panel in adas:
        await queue(world, panel)
    await world.client("bob").post(bobs.path, json={"question": SCALE, "responseMode": "queued"})
    gate = world.persona_engine.gates["survey"] = Gate()

    async with world.api(panels_at_once=2).lifespan():
        for _ in range(3_000):
            if len(surveyed(world)) == 2:
                break
            await asyncio.sleep(0.02)
        both = set(surveyed(world))
        gate.open.set()

    assert both == {"Ada 0", "Bo"}
