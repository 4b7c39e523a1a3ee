"""One job from its claim to its truthful end."""

import asyncio

import pytest
from sqlalchemy import select

from app.internal_api.tables import training_jobs
from tests.app.internal_api.support import LINKED, World, within
from tests.app.internal_api.training.interruptions import held_up_at, kill_in_the_middle_of, training_of

STAGES = ["profile", "collect", "index", "prompt"]


async def test_a_job_that_kills_every_worker_fails_as_a_retryable_timeout(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    for _ in range(3):
        await kill_in_the_middle_of(world, "collect", monkeypatch)
        world.clock.forward(31)

    await world.train()

    status = await training_of(world, mind_id)
    assert (status["status"], status["stage"]) == ("failed", "failed")
    assert status["error"] == {"code": "TIMEOUT", "retryable": True, "reason": None}
    assert status["progress"] < 100


async def test_heartbeats_keep_the_lease_of_long_work(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)
    lease_until = select(training_jobs.c.lease_until).where(training_jobs.c.mind_id == mind_id)
    async with held_up_at(world, "collect", monkeypatch) as gate:
        task = asyncio.create_task(world.api(lease_seconds=0.15).worker.work_once())
        await within(gate.reached.wait())
        world.clock.forward(60)
        for _ in range(3_000):
            async with world.engine.connect() as connection:
                until = (await connection.execute(lease_until)).scalar_one()
            if until > world.clock():
                break
            await asyncio.sleep(0.05)
        gate.open.set()
        await within(task)

    assert until > world.clock()


async def test_an_unforeseen_fault_fails_one_job_and_shows_nothing_internal(world: World) -> None:
    world.persona_engine.broken = RuntimeError("secret detail")
    mind_id = await world.trained(LINKED)
    world.persona_engine.broken = None

    other = await world.trained({**LINKED, "name": "Other"})

    status = await training_of(world, mind_id)
    assert status["error"] == {"code": "INTERNAL", "retryable": True, "reason": None}
    assert "secret" not in str(status)
    assert (await training_of(world, other))["status"] == "completed"


async def test_training_that_takes_too_long_fails_as_a_timeout(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)

    async with held_up_at(world, "collect", monkeypatch):
        await within(world.api(training_seconds=0.2).worker.work_once())

    assert (await training_of(world, mind_id))["error"] == {"code": "TIMEOUT", "retryable": True, "reason": None}
    items = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]
    assert items[0]["processing"]["status"] == "failed"
