"""Training survives its workers: one works at a time, and the next goes on where a killed one stopped."""

import asyncio

import pytest
from sqlalchemy import text, update

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.store.minds import training_jobs
from tests.app.internal_api.support import KEYWORDS, LINK, LINKED, World, stored_chunks, stored_jobs, within
from tests.app.internal_api.training.interruptions import held_up_at, kill_in_the_middle_of, training_of

STAGES = ["profile", "collect", "index", "prompt"]


@pytest.mark.parametrize("stage", STAGES)
async def test_a_job_cut_off_in_any_stage_is_finished_by_another_worker_without_duplicates(
    world: World, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    mind_id = await world.mind(LINKED)
    await kill_in_the_middle_of(world, stage, monkeypatch)
    cut_off = await training_of(world, mind_id)
    assert (cut_off["status"], cut_off["stage"]) == ("running", stage)

    await world.train()
    early = await training_of(world, mind_id)
    world.clock.forward(31)
    await world.train()

    status = await training_of(world, mind_id)
    assert early["status"] == "running"
    assert (status["status"], status["progress"]) == ("completed", 100)
    assert len(await stored_chunks(world.engine, mind_id)) == 3
    assert (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["total"] == 1


async def test_a_finished_stage_is_not_done_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.mind(LINKED)
    await kill_in_the_middle_of(world, "prompt", monkeypatch)

    world.clock.forward(31)
    await world.train()

    assert world.web.asked == [LINK]
    assert [what for what, _ in world.persona_engine.asked] == ["profile", "prompt", "prompt"]


async def test_a_worker_that_is_stopped_gives_its_job_back_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with held_up_at(world, "collect", monkeypatch) as gate, world.api().lifespan():
        await within(gate.reached.wait())

    await world.train()

    assert (await training_of(world, mind_id))["status"] == "completed"
    (job,) = await stored_jobs(world.engine, mind_id)
    assert job.attempt == 1


@pytest.mark.slow
async def test_progress_never_falls_and_is_100_only_at_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind({**LINKED})
    for number in range(3):
        page = f"{LINK}/{number}"
        world.web.pages[page] = f"Page {number}."
        await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": page})
    seen = [(await training_of(world, mind_id))["progress"]]

    for stage in ["collect", "index", "prompt"]:
        await kill_in_the_middle_of(world, stage, monkeypatch)
        seen.append((await training_of(world, mind_id))["progress"])
        world.clock.forward(31)
        if stage == "index":
            async with world.engine.begin() as connection:
                await connection.execute(update(training_jobs).values(attempt=0))
    await world.train()
    seen.append((await training_of(world, mind_id))["progress"])

    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] == 100
    assert all(progress < 100 for progress in seen[:-1])


async def test_a_failed_training_succeeds_when_it_is_asked_for_again(world: World) -> None:
    world.web.pages[LINK] = SourceRefused("timeout", "The page was not read in time.")
    mind_id = await world.trained(LINKED)
    world.web.pages[LINK] = "Now it is there."

    again = await world.client().post(f"/minds/{mind_id}/retrain")
    await world.train()

    assert (again.status_code, again.json()["status"], again.json()["progress"]) == (200, "queued", 0)
    assert (await training_of(world, mind_id))["status"] == "completed"
    assert await stored_chunks(world.engine, mind_id) == ["Now it is there."]


async def test_the_running_worker_is_woken_by_a_new_mind(world: World) -> None:
    api = world.api(poll_seconds=60)
    client = world.client(api=api)

    async with api.lifespan():
        created = await client.post("/minds", json=KEYWORDS)
        mind_id = created.json()["data"]["id"]
        for _ in range(3_000):
            if (await training_of(world, mind_id))["status"] == "completed":
                break
            await asyncio.sleep(0.05)

    assert (await training_of(world, mind_id))["status"] == "completed"


async def test_a_process_that_is_told_not_to_work_does_not(world: World) -> None:
    mind_id = await world.mind(KEYWORDS)

    async with world.api(run_worker=False, poll_seconds=0.01).lifespan():
        status = await training_of(world, mind_id)
        for _ in range(5):
            await asyncio.sleep(0.02)
            status = await training_of(world, mind_id)

    assert status["status"] == "queued"


async def test_a_job_that_kills_every_worker_fails_as_a_retryable_timeout(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    for _ in range(2):
        await kill_in_the_middle_of(world, "collect", monkeypatch)
        world.clock.forward(31)

    await world.train()

    status = await training_of(world, mind_id)
    assert (status["status"], status["stage"]) == ("failed", "failed")
    assert status["error"] == {"code": "TIMEOUT", "retryable": True, "reason": None}
    assert status["progress"] < 100


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
