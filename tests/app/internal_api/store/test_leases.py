"""A job belongs to one worker at a time."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind
from app.internal_api.store.jobs import KNOWLEDGE, TRAINING, Job, insert_job, list_jobs, new_job
from app.internal_api.store.leases import Lease, LeaseLost, claim, complete, fail, hold, release
from app.internal_api.store.minds import insert_mind
from tests.app.internal_api.support import ADA, KEYWORDS


async def _queue(engine: AsyncEngine, *kinds: str) -> str:
    """A mind with jobs that wait."""
    mind = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)
    async with engine.begin() as connection:
        await insert_mind(connection, mind)
        for kind in kinds:
            await insert_job(connection, new_job(mind.id, kind, 0))
    return mind.id


async def _jobs(engine: AsyncEngine, mind_id: str) -> list[Job]:
    async with engine.connect() as connection:
        return list(await list_jobs(connection, mind_id))


async def test_many_claims_at_once_take_one_job_once(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)

    taken = await asyncio.gather(*(claim(engine, uuid4().hex, 10, 100) for _ in range(8)))

    (job,) = [job for job in taken if job is not None]
    assert (job.status, job.attempt, job.started_at, job.lease_until) == ("running", 1, 10, 110)


async def test_the_jobs_of_a_mind_run_one_after_another_in_their_order(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, KNOWLEDGE, TRAINING)

    first, second = await claim(engine, "a", 10, 100), await claim(engine, "b", 10, 100)
    assert first is not None
    async with engine.begin() as connection:
        await complete(connection, Lease(first.id, "a", 100), 20, "Done")
    third = await claim(engine, "b", 20, 100)

    assert (first.kind, second) == (KNOWLEDGE, None)
    assert third is not None
    assert third.kind == TRAINING
    assert [job.status for job in await _jobs(engine, mind_id)] == ["completed", "running"]


async def test_the_jobs_of_different_minds_run_at_once(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    await _queue(engine, TRAINING)

    taken = await asyncio.gather(*(claim(engine, name, 10, 100) for name in "ab"))
    while None in taken:
        taken[taken.index(None)] = await claim(engine, "c", 10, 100)

    assert len({job.id for job in taken if job is not None}) == 2


async def test_a_lease_that_ran_out_is_taken_over_and_then_lost_to_its_first_owner(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    first = await claim(engine, "a", 10, 100)
    assert first is not None

    early, late = await claim(engine, "b", 110, 100), await claim(engine, "b", 111, 100)

    assert early is None
    assert late is not None
    assert (late.id, late.attempt, late.started_at) == (first.id, 2, 10)
    with pytest.raises(LeaseLost):
        async with engine.begin() as connection:
            await hold(connection, Lease(first.id, "a", 100), 112)


async def test_holding_extends_the_lease_and_never_lowers_the_progress(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 100)
    assert job is not None
    lease = Lease(job.id, "a", 100)

    async with engine.begin() as connection:
        await hold(connection, lease, 50, progress=40, stage="collect")
        await hold(connection, lease, 60, progress=30)

    (held,) = await _jobs(engine, mind_id)
    assert (held.progress, held.stage, held.lease_until) == (40, "collect", 160)


async def test_a_job_given_back_is_free_at_once_and_the_attempt_does_not_count(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 100)
    assert job is not None

    async with engine.begin() as connection:
        await release(connection, Lease(job.id, "a", 100))
    again = await claim(engine, "b", 11, 100)

    assert again is not None
    assert again.attempt == 1


async def test_an_ended_job_is_nobodys_and_is_not_taken_again(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await claim(engine, "a", 10, 100)
    assert job is not None
    lease = Lease(job.id, "a", 100)

    async with engine.begin() as connection:
        await fail(connection, lease, 20, code="TIMEOUT", message="Too long", retryable=True)

    (ended,) = await _jobs(engine, mind_id)
    assert (ended.status, ended.stage, ended.error_code, ended.retryable) == ("failed", "failed", "TIMEOUT", True)
    assert (ended.completed_at, ended.lease_owner) == (20, None)
    assert await claim(engine, "b", 10_000, 100) is None
    with pytest.raises(LeaseLost):
        async with engine.begin() as connection:
            await hold(connection, replace(lease, owner="a"), 30)
