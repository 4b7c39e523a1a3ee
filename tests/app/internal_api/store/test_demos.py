"""Demo minds are counted while they live and deleted when they do not."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind
from app.internal_api.store.demos import count_live_demos, delete_expired_demos
from app.internal_api.store.minds import find_mind, insert_mind
from tests.app.internal_api.support import ADA, DEMO, KEYWORDS


async def test_only_what_has_expired_is_deleted(engine: AsyncEngine) -> None:
    asked = CreateMind.model_validate(KEYWORDS)
    lasting = draft_mind(asked, ADA.user_id, 0)
    short, long = (
        replace(draft_mind(asked, DEMO.user_id, 0), demo_token_hash="x", demo_expires_at=at) for at in (10, 20)
    )

    async with engine.begin() as connection:
        for mind in (lasting, short, long):
            await insert_mind(connection, mind)
        before = await count_live_demos(connection, 9)
        deleted = await delete_expired_demos(connection, 10)
        after = await count_live_demos(connection, 10)
        left = [await find_mind(connection, mind.id) for mind in (lasting, short, long)]

    assert (before, deleted, after) == (2, 1, 1)
    assert left == [lasting, None, long]
