"""What waits is counted; what runs or has ended is not."""

from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind
from app.internal_api.store.jobs import KNOWLEDGE, TRAINING, insert_job, new_job
from app.internal_api.store.minds import insert_mind
from app.internal_api.store.training_claims import claim
from app.internal_api.store.waiting import QUEUES, count_waiting
from tests.app.internal_api.support import ADA, KEYWORDS

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)


async def test_an_empty_database_has_queues_in_which_nothing_waits(engine: AsyncEngine) -> None:
    assert await count_waiting(engine) == dict.fromkeys(QUEUES, 0)


async def test_a_job_waits_until_somebody_begins_it(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await insert_job(connection, new_job(MIND.id, TRAINING, 0))
        await insert_job(connection, new_job(MIND.id, KNOWLEDGE, 0))

    waiting = await count_waiting(engine)
    await claim(engine, "a", 1, 100)

    assert waiting["training"] == 2
    assert (await count_waiting(engine))["training"] == 1
