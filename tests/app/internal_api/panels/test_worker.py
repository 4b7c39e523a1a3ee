"""Questions survive their workers: one works at a time, and what has landed is never asked again."""

import asyncio

from app.internal_api.engines.engine import Persona, SurveyQuestion
from tests.app.internal_api.panels.panels import SCALE, make_panel, queue, stored, surveyed
from tests.app.internal_api.support import BOB, Gate, World, within

MANY = [f"Mind {number}" for number in range(20)]


async def test_two_processes_ask_everybody_once(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    question_id = await queue(world, panel)

    worked = await asyncio.gather(*(world.api().panel_worker.work_once() for _ in range(4)))

    assert sorted(worked) == [False, False, False, True]
    assert sorted(surveyed(world)) == sorted(MANY)
    assert (await stored(world.engine, question_id))[0].status == "completed"


async def test_a_process_that_is_stopped_gives_its_question_back_with_what_has_landed(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    gate = Gate()

    async def the_last_waits(persona: Persona, _question: SurveyQuestion) -> None:
        if persona.name == MANY[-1]:
            await gate.passed()

    world.persona_engine.on_survey = the_last_waits
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


async def test_who_is_being_asked_when_the_process_ends_is_not_asked_again(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": MANY})
    gate = Gate()

    async def everybody_waits(_persona: Persona, _question: SurveyQuestion) -> None:
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


async def test_a_question_of_another_process_is_found_by_looking(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})

    async with world.api(poll_seconds=0.05).lifespan():
        question_id = await queue(world, panel)
        for _ in range(3_000):
            if (await stored(world.engine, question_id))[0].status == "completed":
                break
            await asyncio.sleep(0.05)

    assert (await stored(world.engine, question_id))[0].status == "completed"


async def test_the_running_worker_is_woken_by_a_new_question(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    api = world.api(poll_seconds=60)

    async with api.lifespan():
        await asyncio.sleep(0)
        answered = await within(world.client(api=api).post(panel.path, json={"question": SCALE}))

    assert '"type":"done"' in answered.text


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


async def test_a_process_that_is_told_not_to_work_does_not(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    question_id = await queue(world, panel)

    async with world.api(run_worker=False, poll_seconds=0.01).lifespan():
        for _ in range(5):
            await asyncio.sleep(0.02)

    assert (await stored(world.engine, question_id))[0].status == "queued"
