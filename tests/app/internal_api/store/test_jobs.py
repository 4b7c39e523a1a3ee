"""Jobs are queued, and a mind has one unfinished training at most."""

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind
from app.internal_api.store.jobs import KNOWLEDGE, TRAINING, insert_job, latest_training, new_job
from app.internal_api.store.leases import Lease
from app.internal_api.store.minds import insert_mind
from app.internal_api.store.training_claims import claim, complete
from app.internal_api.tables import training_jobs
from tests.app.internal_api.support import ADA, KEYWORDS, stored_jobs

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)


async def test_a_second_unfinished_training_is_refused_and_a_knowledge_job_is_not(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await insert_job(connection, new_job(MIND.id, TRAINING, 0))
        await insert_job(connection, new_job(MIND.id, KNOWLEDGE, 0))

    with pytest.raises(IntegrityError):
        async with engine.begin() as connection:
            await insert_job(connection, new_job(MIND.id, TRAINING, 0))

    assert [job.kind for job in await stored_jobs(engine, MIND.id)] == [TRAINING, KNOWLEDGE]


async def test_the_status_speaks_of_the_newest_training_made_in_the_same_moment_or_not(engine: AsyncEngine) -> None:
    first, second = new_job(MIND.id, TRAINING, 0), new_job(MIND.id, TRAINING, 0)
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await insert_job(connection, first)
    await claim(engine, "a", 1, 100)
    async with engine.begin() as connection:
        await complete(connection, Lease(first.id, "a", 100, training_jobs), 2, "Done")
        await insert_job(connection, second)
        await insert_job(connection, new_job(MIND.id, KNOWLEDGE, 0))

    async with engine.connect() as connection:
        assert (await latest_training(connection, MIND.id)).id == second.id
