"""The end of all that somebody owns."""

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store import studies
from app.internal_api.store.knowledge import insert_item, new_item
from app.internal_api.store.minds import minds
from app.internal_api.store.rows import insert_row
from app.internal_api.store.studies import Audience, Study, delete_owned, insert_audience
from tests.app.internal_api.support import KEYWORDS


async def test_everything_of_an_owner_is_deleted_and_nothing_of_anybody_else(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "FEW", 2)
    async with engine.begin() as connection:
        for owner in ("ada", "bob"):
            for _ in range(5):
                mind = draft_mind(CreateMind.model_validate(KEYWORDS), owner, 0)
                await insert_row(connection, mind)
                await insert_item(connection, new_item(mind.id, "text", "T", 0, source="S", description="D"), "words")
            audience = Audience(owner_id=owner, name="A", created_at=0, updated_at=0)
            await insert_audience(connection, audience, [mind.id])
            await insert_row(
                connection,
                Study(
                    owner_id=owner,
                    name="S",
                    is_link_sharing_enabled=False,
                    public_share_id=None,
                    created_at=0,
                    updated_at=0,
                ),
            )

    await delete_owned(engine, "ada")

    async with engine.connect() as connection:
        for table, left in ((minds, 5), (studies.audiences, 1), (studies.studies, 1)):
            owners = (await connection.execute(select(table.c.owner_id, func.count()).group_by(table.c.owner_id))).all()
            assert [tuple(row) for row in owners] == [("bob", left)]
