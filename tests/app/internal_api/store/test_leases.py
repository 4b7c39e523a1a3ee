"""A job belongs to one worker at a time, and only as long as that one gives signs of life."""

import asyncio

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.jobs import TRAINING, Job, claim
from app.internal_api.store.jobs import jobs as training_jobs
from app.internal_api.store.leases import Lease, give_back, hold, kept_alive
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import delete_row, insert_row
from app.storage.engine import open_engine
from tests.app.internal_api.support import ADA, KEYWORDS, stored_jobs, within


async def _queue(engine: AsyncEngine, kind: str) -> str:
    """A mind with a job that waits."""
    mind = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)
    async with engine.begin() as connection:
        await insert_row(connection, mind)
        await insert_row(connection, Job(mind_id=mind.id, kind=kind, created_at=0))
    return mind.id


async def test_holding_extends_the_lease_and_never_lowers_the_progress(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 100)
    assert job is not None
    lease = Lease(job.id, "a", 100, training_jobs)

    async with engine.begin() as connection:
        await hold(connection, lease, 50, progress=40, stage="collect")
        await hold(connection, lease, 60, progress=30)

    (held,) = await stored_jobs(engine, mind_id)
    assert (held.progress, held.stage, held.lease_until) == (40, "collect", 160)


async def test_a_job_given_back_is_free_at_once_and_the_attempt_does_not_count(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    await claim(engine, "a", 10, 100)
    await give_back(engine, training_jobs, "a")

    again = await claim(engine, "c", 11, 100)

    assert again is not None
    assert again.attempt == 1


async def test_only_the_jobs_of_that_owner_are_given_back(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    await claim(engine, "a", 10, 100)

    await give_back(engine, training_jobs, "b")

    assert await claim(engine, "c", 11, 100) is None


async def test_a_lease_is_extended_while_the_body_works(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 30)
    assert job is not None

    async with kept_alive(engine, Lease(job.id, "a", 30, training_jobs), lambda: 500):
        for _ in range(3_000):
            if (await stored_jobs(engine, mind_id))[0].lease_until == 530:
                break
            await asyncio.sleep(0.01)

    assert (await stored_jobs(engine, mind_id))[0].lease_until == 530


async def test_who_lost_the_lease_is_stopped_by_the_next_heartbeat(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 30)
    assert job is not None
    async with engine.begin() as connection:
        await delete_row(connection, Mind, mind_id)

    finished = False
    async with kept_alive(engine, Lease(job.id, "a", 30, training_jobs), lambda: 20):
        await within(asyncio.Event().wait())
        finished = True

    assert not finished


async def test_what_cannot_be_given_back_raises_nothing_in_the_place_of_a_cancellation(database: URL) -> None:
    empty = open_engine(database)  # without any table

    await give_back(empty, training_jobs, "a")

    await empty.dispose()
