"""Training survives its workers: one works at a time, and the next goes on where a killed one stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import select, text, update

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.personas.words import EngineUnavailable
from app.internal_api.store.jobs import list_jobs
from app.internal_api.tables import training_jobs
from app.internal_api.training import worker as worker_module
from tests.app.internal_api.support import KEYWORDS, LINK, LINKED, Gate, World, stored_chunks, within

STAGES = ["profile", "collect", "index", "prompt"]


async def _status(world: World, mind_id: str) -> dict[str, Any]:
    answer = await world.client().get(f"/minds/{mind_id}/training")
    return dict(answer.json())


@asynccontextmanager
async def _held_up_at(world: World, stage: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gate]:
    """A gate in the middle of a stage, for the length of the body."""
    gate = Gate()
    with monkeypatch.context() as patch:
        if stage == "collect":
            patch.setattr(world.web, "gate", gate)
        elif stage == "index":
            # After the chunks were cut and before they are stored.
            real = asyncio.to_thread

            async def slow(*arguments: Any) -> Any:
                found = await real(*arguments)
                await gate.passed()
                return found

            patch.setattr("app.internal_api.training.indexing.asyncio.to_thread", slow)
        else:
            patch.setitem(world.persona_engine.gates, stage, gate)
        yield gate


async def _kill_in_the_middle_of(world: World, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that stops without a word, as with SIGKILL: its lease is not released."""

    async def no_release(_desk: object) -> None:
        pass

    async with _held_up_at(world, stage, monkeypatch) as gate:
        monkeypatch.setattr(worker_module, "give_back", no_release)
        task = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())
        task.cancel()
        await asyncio.wait({task})


async def test_a_mind_is_trained_from_its_link(world: World) -> None:
    mind_id = await world.trained(LINKED)

    status = await _status(world, mind_id)
    assert (status["status"], status["stage"], status["progress"]) == ("completed", "completed", 100)
    assert status["readyToChat"] is True
    assert "error" not in status
    assert (await stored_chunks(world.engine, mind_id))[1] == "Green tea is steeped at eighty degrees."
    assert world.persona_engine.asked[-1][1][2] == ("Tea",)


async def test_a_clone_is_trained_from_what_its_owner_said(world: World) -> None:
    body = {**KEYWORDS, "mode": "clone", "personaContext": "Born in Leith.\n\nDrinks sencha."}

    mind_id = await world.trained(body)

    assert await stored_chunks(world.engine, mind_id) == ["Born in Leith.", "Drinks sencha."]


async def test_keywords_become_knowledge_that_says_where_it_is_from(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)

    assert await stored_chunks(world.engine, mind_id) == [
        "Ada's field is Tea.",
        "Ada knows about oolong.",
        "Ada knows about sencha.",
    ]
    listed = await world.client().get(f"/minds/{mind_id}/knowledge")
    assert [item["sourceType"] for item in listed.json()["data"]["items"]] == ["keywords"]


@pytest.mark.parametrize("stage", STAGES)
async def test_a_job_cut_off_in_any_stage_is_finished_by_another_worker_without_duplicates(
    world: World, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    mind_id = await world.mind(LINKED)
    await _kill_in_the_middle_of(world, stage, monkeypatch)
    cut_off = await _status(world, mind_id)
    assert (cut_off["status"], cut_off["stage"]) == ("running", stage)

    await world.train()
    early = await _status(world, mind_id)
    world.clock.forward(31)
    await world.train()

    status = await _status(world, mind_id)
    assert early["status"] == "running"
    assert (status["status"], status["progress"]) == ("completed", 100)
    assert len(await stored_chunks(world.engine, mind_id)) == 3
    assert (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["total"] == 1


async def test_a_finished_stage_is_not_done_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.mind(LINKED)
    await _kill_in_the_middle_of(world, "prompt", monkeypatch)

    world.clock.forward(31)
    await world.train()

    assert world.web.asked == [LINK]
    assert [what for what, _ in world.persona_engine.asked] == ["profile", "prompt", "prompt"]


async def test_a_job_that_kills_every_worker_fails_as_a_retryable_timeout(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    for _ in range(3):
        await _kill_in_the_middle_of(world, "collect", monkeypatch)
        world.clock.forward(31)

    await world.train()

    status = await _status(world, mind_id)
    assert (status["status"], status["stage"]) == ("failed", "failed")
    assert status["error"] == {"code": "TIMEOUT", "retryable": True}
    assert status["progress"] < 100


async def test_two_workers_train_one_mind_once(world: World) -> None:
    mind_id = await world.mind(LINKED)

    worked = await asyncio.gather(*(world.api().worker.work_once() for _ in range(4)))

    assert sorted(worked) == [False, False, False, True]
    assert world.web.asked == [LINK]
    assert len(await stored_chunks(world.engine, mind_id)) == 3


async def test_several_workers_share_many_minds(world: World) -> None:
    minds = [await world.mind({**KEYWORDS, "name": f"Ada {number}"}) for number in range(6)]

    await asyncio.gather(*(world.train() for _ in range(3)))

    statuses = [await _status(world, mind_id) for mind_id in minds]
    assert [status["status"] for status in statuses] == ["completed"] * 6
    assert len([what for what, _ in world.persona_engine.asked if what == "prompt"]) == 6


async def test_a_worker_that_was_thought_dead_writes_nothing_when_it_wakes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with _held_up_at(world, "collect", monkeypatch) as gate:
        sleeper = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())
    world.clock.forward(31)
    world.web.pages[LINK] = "Read by the second worker."
    await world.train()
    world.web.pages[LINK] = "Read by the first worker."

    gate.open.set()
    await within(sleeper)

    assert await stored_chunks(world.engine, mind_id) == ["Read by the second worker."]
    assert (await _status(world, mind_id))["status"] == "completed"


async def test_a_worker_that_is_stopped_gives_its_job_back_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with _held_up_at(world, "collect", monkeypatch) as gate, world.api().lifespan():
        await within(gate.reached.wait())

    await world.train()

    assert (await _status(world, mind_id))["status"] == "completed"
    async with world.engine.connect() as connection:
        (job,) = await list_jobs(connection, mind_id)
    assert job.attempt == 1


async def test_heartbeats_keep_the_lease_of_long_work(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)
    lease_until = select(training_jobs.c.lease_until).where(training_jobs.c.mind_id == mind_id)
    async with _held_up_at(world, "collect", monkeypatch) as gate:
        task = asyncio.create_task(world.api(lease_seconds=0.15).worker.work_once())
        await within(gate.reached.wait())
        world.clock.forward(60)
        for _ in range(100):
            async with world.engine.connect() as connection:
                until = (await connection.execute(lease_until)).scalar_one()
            if until > world.clock():
                break
            await asyncio.sleep(0.05)
        gate.open.set()
        await within(task)

    assert until > world.clock()


async def test_progress_never_falls_and_is_100_only_at_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind({**LINKED})
    for number in range(3):
        page = f"{LINK}/{number}"
        world.web.pages[page] = f"Page {number}."
        await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": page})
    seen = [(await _status(world, mind_id))["progress"]]

    for stage in ["collect", "index", "prompt"]:
        await _kill_in_the_middle_of(world, stage, monkeypatch)
        seen.append((await _status(world, mind_id))["progress"])
        world.clock.forward(31)
        if stage == "index":
            await _give_more_attempts(world)
    await world.train()
    seen.append((await _status(world, mind_id))["progress"])

    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] == 100
    assert all(progress < 100 for progress in seen[:-1])


async def _give_more_attempts(world: World) -> None:
    async with world.engine.begin() as connection:
        await connection.execute(update(training_jobs).values(attempt=0))


async def test_the_message_counts_the_sources(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)
    await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": f"{LINK}/2"})

    await _kill_in_the_middle_of(world, "collect", monkeypatch)

    assert (await _status(world, mind_id))["message"] == "Reading 1 of 2 sources"


@pytest.mark.parametrize(
    ("refusal", "retryable"),
    [
        (SourceRefused("private_address", "Not a public address."), False),
        (SourceRefused("timeout", "The page was not read in time."), True),
        (SourceRefused("http_status", "The page's server answered 503."), True),
        (SourceRefused("unreadable_pdf", "The PDF cannot be read."), False),
    ],
)
async def test_a_source_that_cannot_be_read_fails_the_collection_with_its_reason(
    world: World, refusal: SourceRefused, retryable: bool
) -> None:
    world.web.pages[LINK] = refusal

    mind_id = await world.trained(LINKED)

    status = await _status(world, mind_id)
    assert status["error"] == {"code": "COLLECTION_FAILED", "retryable": retryable}
    assert status["message"] == refusal.message
    items = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]
    assert (items[0]["processing"]["status"], items[0]["processing"]["error"]) == ("failed", refusal.message)


async def test_one_readable_source_is_enough(world: World) -> None:
    mind_id = await world.mind(LINKED)
    await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": f"{LINK}/gone"})

    await world.train()

    assert (await _status(world, mind_id))["status"] == "completed"


async def test_a_page_without_text_fails_the_collection(world: World) -> None:
    world.web.pages[LINK] = "\n\n"

    mind_id = await world.trained(LINKED)

    assert (await _status(world, mind_id))["error"] == {"code": "COLLECTION_FAILED", "retryable": False}


@pytest.mark.parametrize("retryable", [True, False])
async def test_an_engine_that_is_away_fails_the_profile(world: World, retryable: bool) -> None:
    world.persona_engine.down = EngineUnavailable("secret host", retryable=retryable)

    mind_id = await world.trained(LINKED)

    status = await _status(world, mind_id)
    assert status["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": retryable}
    assert "secret" not in status["message"]


async def test_an_unforeseen_fault_fails_one_job_and_shows_nothing_internal(world: World) -> None:
    world.persona_engine.broken = RuntimeError("secret detail")
    mind_id = await world.trained(LINKED)
    world.persona_engine.broken = None

    other = await world.trained({**LINKED, "name": "Other"})

    status = await _status(world, mind_id)
    assert status["error"] == {"code": "INTERNAL", "retryable": True}
    assert "secret" not in str(status)
    assert (await _status(world, other))["status"] == "completed"


async def test_training_that_takes_too_long_fails_as_a_timeout(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)

    async with _held_up_at(world, "collect", monkeypatch):
        await within(world.api(training_seconds=0.2).worker.work_once())

    assert (await _status(world, mind_id))["error"] == {"code": "TIMEOUT", "retryable": True}
    items = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]
    assert items[0]["processing"]["status"] == "failed"


async def test_a_failed_training_succeeds_when_it_is_asked_for_again(world: World) -> None:
    world.web.pages[LINK] = SourceRefused("timeout", "The page was not read in time.")
    mind_id = await world.trained(LINKED)
    world.web.pages[LINK] = "Now it is there."

    again = await world.client().post(f"/minds/{mind_id}/retrain")
    await world.train()

    assert (again.status_code, again.json()["status"], again.json()["progress"]) == (200, "queued", 0)
    assert (await _status(world, mind_id))["status"] == "completed"
    assert await stored_chunks(world.engine, mind_id) == ["Now it is there."]


async def test_a_mind_deleted_while_it_is_trained_leaves_nothing_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind_id = await world.mind(LINKED)
    async with _held_up_at(world, "collect", monkeypatch) as gate:
        task = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())

        deleted = await world.client().delete(f"/minds/{mind_id}")
        gate.open.set()
        await within(task)

    assert deleted.status_code == 204
    async with world.engine.connect() as connection:
        for table in ("minds", "training_jobs", "knowledge_items", "knowledge_chunks"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0


async def test_the_running_worker_is_woken_by_a_new_mind(world: World) -> None:
    api = world.api(poll_seconds=60)
    client = world.client(api=api)

    async with api.lifespan():
        created = await client.post("/minds", json=KEYWORDS)
        mind_id = created.json()["data"]["id"]
        for _ in range(200):
            if (await _status(world, mind_id))["status"] == "completed":
                break
            await asyncio.sleep(0.05)

    assert (await _status(world, mind_id))["status"] == "completed"


async def test_a_mind_made_by_another_process_is_found_by_looking(world: World) -> None:
    async with world.api(poll_seconds=0.05).lifespan():
        mind_id = await world.mind(KEYWORDS)
        for _ in range(200):
            if (await _status(world, mind_id))["status"] == "completed":
                break
            await asyncio.sleep(0.05)

    assert (await _status(world, mind_id))["status"] == "completed"


async def test_a_process_that_is_told_not_to_work_does_not(world: World) -> None:
    mind_id = await world.mind(KEYWORDS)

    async with world.api(run_worker=False, poll_seconds=0.01).lifespan():
        await asyncio.sleep(0.1)

    assert (await _status(world, mind_id))["status"] == "queued"
