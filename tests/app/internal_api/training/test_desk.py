"""A job's writes need its lease."""

import asyncio

import pytest
from sqlalchemy import text

from tests.app.internal_api.support import LINK, LINKED, World, stored_chunks, within
from tests.app.internal_api.training.interruptions import held_up_at, training_of

STAGES = ["profile", "collect", "index", "prompt"]


async def test_a_worker_that_was_thought_dead_writes_nothing_when_it_wakes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with held_up_at(world, "collect", monkeypatch) as gate:
        sleeper = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())
    world.clock.forward(31)
    world.web.pages[LINK] = "Read by the second worker."
    await world.train()
    world.web.pages[LINK] = "Read by the first worker."

    gate.open.set()
    await within(sleeper)

    assert await stored_chunks(world.engine, mind_id) == ["Read by the second worker."]
    assert (await training_of(world, mind_id))["status"] == "completed"


async def test_a_mind_deleted_while_it_is_trained_leaves_nothing_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with held_up_at(world, "collect", monkeypatch) as gate:
        task = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())

        deleted = await world.client().delete(f"/minds/{mind_id}")
        gate.open.set()
        await within(task)

    assert deleted.status_code == 204
    async with world.engine.connect() as connection:
        for table in ("minds", "training_jobs", "knowledge_items", "knowledge_chunks"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0
