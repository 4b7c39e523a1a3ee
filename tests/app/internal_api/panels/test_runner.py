"""A question is worked on with a window that slides, to a truthful end, and by nobody who has lost it."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import delete, event, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.engine import EngineUnavailable, Persona, SurveyQuestion
from app.internal_api.study_tables import questions, studies
from tests.app.internal_api.panels.panels import make_panel, queue, stored, surveyed
from tests.app.internal_api.support import Gate, World, within

MANY = [f"Mind {number}" for number in range(25)]


async def test_as_many_as_allowed_are_asked_at_once_and_never_more(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    running, full = [0], asyncio.Event()
    seen = set()

    async def wait_for_ten(_persona: Persona, _question: SurveyQuestion) -> None:
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


async def test_whoever_is_done_makes_room_while_the_slow_are_still_waited_for(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    gate = Gate()

    async def the_first_is_slow(persona: Persona, _question: SurveyQuestion) -> None:
        if persona.name == MANY[0]:
            await gate.passed()

    world.persona_engine.on_survey = the_first_is_slow
    question_id = await queue(world, panel)
    working = asyncio.create_task(world.ask_all())
    for _ in range(3_000):
        if (answered := await _answered(world.engine, question_id)) == len(MANY) - 1:
            break
        await asyncio.sleep(0.02)
    gate.open.set()
    await within(working)

    assert answered == len(MANY) - 1
    assert (await stored(world.engine, question_id))[0].status == "completed"


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


async def test_a_question_that_a_fault_of_ours_interrupts_again_and_again_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]}, untrained=["Ben"])
    question_id = await queue(world, panel)

    async def fault(*_arguments: Any) -> list[str]:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("app.internal_api.panels.runner.pending_minds", fault)
        for _ in range(4):
            await world.ask_all()
            world.clock.forward(16)

    question, answers = await stored(world.engine, question_id)
    assert (question.status, question.attempt) == ("completed", 4)
    assert [(answer.status, answer.error_code) for answer in answers] == [
        ("failed", "INTERRUPTED"),
        ("failed", "NOT_READY"),
    ]


async def test_interruptions_between_which_answers_landed_do_not_count(world: World) -> None:
    names = MANY[:6]
    panel = await make_panel(world.engine, {"Old": names})
    world.settings = world.settings.model_copy(update={"panel_concurrency": 1})
    question_id = await queue(world, panel)

    for number in range(5):
        await _killed_while_asking(world, names[number + 1])
        world.clock.forward(16)
    await world.ask_all()

    question, answers = await stored(world.engine, question_id)
    assert question.status == "completed"
    assert {answer.status for answer in answers} == {"answered"}


async def test_who_lost_the_question_writes_nothing_more(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    world.settings = world.settings.model_copy(update={"panel_concurrency": 1})
    gate = world.persona_engine.gates["survey"] = Gate()
    question_id = await queue(world, panel)
    slow = asyncio.create_task(world.api().panel_worker.work_once())
    await within(gate.reached.wait())
    del world.persona_engine.gates["survey"]
    async with world.engine.begin() as connection:
        await connection.execute(update(questions).values(lease_owner="another"))

    gate.open.set()
    await within(slow)

    question, answers = await stored(world.engine, question_id)
    assert (question.status, question.lease_owner) == ("running", "another")
    assert [answer.status for answer in answers] == ["pending", "pending"]


async def test_a_study_that_is_deleted_midway_ends_the_work(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    world.settings = world.settings.model_copy(update={"panel_lease_seconds": 0.3})
    gate = world.persona_engine.gates["survey"] = Gate()
    await queue(world, panel)
    working = asyncio.create_task(world.api().panel_worker.work_once())
    await within(gate.reached.wait())

    async with world.engine.begin() as connection:
        await connection.execute(delete(studies))
    await within(working)

    assert not gate.open.is_set()
    assert len(surveyed(world)) <= 10


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


async def _answered(engine: AsyncEngine, question_id: str) -> int:
    return sum(answer.status == "answered" for answer in (await stored(engine, question_id))[1])


async def _killed_while_asking(world: World, name: str) -> None:
    """A worker that stops without a word when it is that persona's turn, as with SIGKILL."""
    reached = asyncio.Event()

    async def stop(persona: Persona, _question: SurveyQuestion) -> None:
        if persona.name == name:
            reached.set()
            await asyncio.Event().wait()

    world.persona_engine.on_survey = stop
    task = asyncio.create_task(world.api().panel_worker.work_once())
    await within(reached.wait())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.internal_api.panels.worker.give_back", _no_release)
        task.cancel()
        await asyncio.wait({task})
    world.persona_engine.on_survey = None


async def _no_release(*_arguments: object) -> None:
    pass
