"""Jobs are queued, one unfinished training a mind, and belong to one worker for as long as it gives signs of life."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.principals import Principal
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.leases import Lease, LeaseLost, give_back
from app.internal_api.store.minds import KNOWLEDGE, TRAINING, Job, Mind, claim, latest_training, training_jobs
from app.internal_api.store.rows import delete_row, insert_row
from app.internal_api.training.worker import count_waiting
from app.storage.engine import open_engine
from tests.app.internal_api.support import ADA, BOB, DEMO, KEYWORDS, stored_jobs, within

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)


def _lease(engine: AsyncEngine, job: Job, now: int, milliseconds: int = 100) -> Lease:
    """That of the worker `a`."""
    return Lease(engine, training_jobs, job.id, "a", milliseconds, lambda: now)


async def test_the_status_speaks_of_the_newest_training_made_in_the_same_moment_or_not(engine: AsyncEngine) -> None:
    first, second = Job(mind_id=MIND.id, kind=TRAINING, created_at=0), Job(mind_id=MIND.id, kind=TRAINING, created_at=0)
    async with engine.begin() as connection:
        await insert_row(connection, MIND)
        await insert_row(connection, first)
    await claim(engine, "a", 1, 100)
    async with engine.begin() as connection:
        await _lease(engine, first, 2).end(connection, "completed", message="Done")
        await insert_row(connection, second)
        await insert_row(connection, Job(mind_id=MIND.id, kind=KNOWLEDGE, created_at=0))

    async with engine.connect() as connection:
        assert (await latest_training(connection, MIND.id)).id == second.id


async def _queue(engine: AsyncEngine, *kinds: str, owner: Principal = ADA) -> str:
    """A mind with jobs that wait."""
    mind = draft_mind(CreateMind.model_validate(KEYWORDS), owner.user_id, 0)
    if owner.demo:
        mind = replace(mind, demo_token_hash="hash", demo_expires_at=10_000)
    async with engine.begin() as connection:
        await insert_row(connection, mind)
        for kind in kinds:
            await insert_row(connection, Job(mind_id=mind.id, kind=kind, created_at=0))
    return mind.id


async def _taken(engine: AsyncEngine, owner: str, now: int, milliseconds: int = 100) -> Job:
    job = await claim(engine, owner, now, milliseconds)
    assert job is not None
    return job


async def test_many_claims_at_once_take_one_job_once(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)

    taken = await asyncio.gather(*(claim(engine, uuid4().hex, 10, 100) for _ in range(8)))

    (job,) = [job for job in taken if job is not None]
    assert (job.status, job.attempt, job.started_at, job.lease_until) == ("running", 1, 10, 110)


async def test_the_jobs_of_a_mind_run_one_after_another_in_their_order(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, KNOWLEDGE, TRAINING)

    first, second = await _taken(engine, "a", 10), await claim(engine, "b", 10, 100)
    async with engine.begin() as connection:
        await _lease(engine, first, 20).end(connection, "completed", message="Done")
    third = await _taken(engine, "b", 20)

    assert (first.kind, second, third.kind) == (KNOWLEDGE, None, TRAINING)
    assert [job.status for job in await stored_jobs(engine, mind_id)] == ["completed", "running"]


async def test_a_lease_that_ran_out_is_taken_over_and_then_lost_to_its_first_owner(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING)
    first = await _taken(engine, "a", 10)

    early, late = await claim(engine, "b", 110, 100), await _taken(engine, "b", 111)

    assert early is None
    assert (late.id, late.attempt, late.started_at) == (first.id, 2, 10)
    with pytest.raises(LeaseLost):
        async with engine.begin() as connection:
            await _lease(engine, first, 112).hold(connection)


async def test_who_is_signed_in_comes_before_the_visitors(engine: AsyncEngine) -> None:
    visitor = await _queue(engine, TRAINING, owner=DEMO)
    signed_in = await _queue(engine, TRAINING)

    taken = [(await _taken(engine, name, 10)).mind_id for name in "ab"]

    assert taken == [signed_in, visitor]


async def test_visitors_never_hold_more_than_their_slots(engine: AsyncEngine) -> None:
    for _ in range(4):
        await _queue(engine, TRAINING, owner=DEMO)

    taken = await asyncio.gather(*(claim(engine, uuid4().hex, 10, 100, demo_slots=2) for _ in range(8)))
    late = [await claim(engine, uuid4().hex, 10, 100, demo_slots=2) for _ in range(4)]
    signed_in = await _queue(engine, TRAINING)

    assert len([job for job in (*taken, *late) if job is not None]) == 2
    assert (await _taken(engine, "x", 10)).mind_id == signed_in


async def test_a_visitors_job_that_was_abandoned_holds_no_slot(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING, owner=DEMO)
    abandoned = await _taken(engine, "a", 10)
    await _queue(engine, TRAINING, owner=DEMO)

    again = await _taken(engine, "b", 111)

    assert again.mind_id == abandoned.mind_id
    assert await claim(engine, "c", 111, 100) is None


async def test_an_owner_with_fewer_running_jobs_comes_first(engine: AsyncEngine) -> None:
    adas = [await _queue(engine, TRAINING) for _ in range(3)]
    bobs = [await _queue(engine, TRAINING, owner=BOB) for _ in range(2)]

    taken = [(await _taken(engine, name, 10)).mind_id for name in "abcde"]

    assert taken == [adas[0], bobs[0], adas[1], bobs[1], adas[2]]


async def test_even_one_lane_serves_the_owners_by_turns(engine: AsyncEngine) -> None:
    adas = [await _queue(engine, TRAINING) for _ in range(3)]
    bob = await _queue(engine, TRAINING, owner=BOB)
    taken = []

    for now in (10, 20, 30, 40):
        job = await _taken(engine, "a", now)
        taken.append(job.mind_id)
        async with engine.begin() as connection:
            await _lease(engine, job, now).end(connection, "completed", message="Done", progress=100)

    assert taken == [adas[0], bob, adas[1], adas[2]]


async def test_a_job_waits_until_somebody_begins_it(engine: AsyncEngine) -> None:
    await _queue(engine, TRAINING, KNOWLEDGE)

    waiting = await count_waiting(engine)
    await claim(engine, "a", 1, 100)

    assert waiting["training"] == 2
    assert (await count_waiting(engine))["training"] == 1


async def test_holding_extends_the_lease_and_never_lowers_the_progress(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await _taken(engine, "a", 10)

    async with engine.begin() as connection:
        await _lease(engine, job, 50).hold(connection, progress=40, stage="collect")
        await _lease(engine, job, 60).hold(connection, progress=30)

    (held,) = await stored_jobs(engine, mind_id)
    assert (held.progress, held.stage, held.lease_until) == (40, "collect", 160)


async def test_only_the_owners_job_is_given_back_and_is_free_at_once_and_the_attempt_does_not_count(
    engine: AsyncEngine,
) -> None:
    await _queue(engine, TRAINING)
    await claim(engine, "a", 10, 100)
    await give_back(engine, training_jobs, "b")
    assert await claim(engine, "c", 11, 100) is None

    await give_back(engine, training_jobs, "a")

    assert (await _taken(engine, "c", 11)).attempt == 1


async def test_a_lease_is_extended_while_the_body_works(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await _taken(engine, "a", 10, 30)

    async with _lease(engine, job, 500, 30).kept_alive():
        for _ in range(3_000):
            if (await stored_jobs(engine, mind_id))[0].lease_until == 530:
                break
            await asyncio.sleep(0.01)

    assert (await stored_jobs(engine, mind_id))[0].lease_until == 530


async def test_who_lost_the_lease_is_stopped_by_the_next_heartbeat(engine: AsyncEngine) -> None:
    mind_id = await _queue(engine, TRAINING)
    job = await _taken(engine, "a", 10, 30)
    async with engine.begin() as connection:
        await delete_row(connection, Mind, mind_id)

    finished = False
    async with _lease(engine, job, 20, 30).kept_alive():
        await within(asyncio.Event().wait())
        finished = True

    assert not finished


async def test_what_cannot_be_given_back_raises_nothing_in_the_place_of_a_cancellation(database: URL) -> None:
    empty = open_engine(database)  # without any table

    await give_back(empty, training_jobs, "a")

    await empty.dispose()
