"""Knowledge items as rows."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.knowledge.documents import Chunk
from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind, link_item
from app.internal_api.store.knowledge import (
    Item,
    count_chunks,
    fail_unfinished,
    find_item,
    insert_item,
    list_items,
    new_item,
    outline,
    replace_chunks,
    requeue_items,
    update_item,
)
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import delete_row, insert_row
from tests.app.internal_api.support import ADA, KEYWORDS, LINK

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)


async def _stored(connection: AsyncConnection) -> tuple[Item, Item]:
    """A link without text, and a text."""
    await insert_row(connection, MIND)
    text = new_item(MIND.id, "text", "T", 0, source="S", description="D")
    return (
        await insert_item(connection, link_item(MIND.id, LINK, 0), None),
        await insert_item(connection, text, "words"),
    )


async def test_failed_items_are_queued_again_alone_or_with_all_others(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, text = await _stored(connection)
        await update_item(connection, link.id, 1, status="failed", error="Gone", error_code="http_status")
        await update_item(connection, text.id, 1, status="completed")

        await requeue_items(connection, MIND.id, 2, only_failed=True)
        some = [(item.status, item.error, item.error_code) for item in await list_items(connection, MIND.id)]
        await requeue_items(connection, MIND.id, 3)
        every = [item.status for item in await list_items(connection, MIND.id)]

    assert some == [("queued", None, None), ("completed", None, None)]
    assert every == ["queued", "queued"]


async def test_a_failed_job_fails_what_it_left_undone_and_nothing_else(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, text = await _stored(connection)
        await update_item(connection, text.id, 1, status="completed")

        await fail_unfinished(connection, MIND.id, text.id, "Interrupted", 2)
        only_text = [item.status for item in await list_items(connection, MIND.id)]
        await fail_unfinished(connection, MIND.id, None, "Interrupted", 2)
        found = await find_item(connection, MIND.id, link.id)

    assert only_text == ["queued", "completed"]
    assert found is not None
    assert (found.status, found.error, found.error_retryable) == ("failed", "Interrupted", True)


FOUND = {
    "sqlite": "SELECT rowid FROM knowledge_fts WHERE knowledge_fts MATCH :word",
    "postgresql": "SELECT seq FROM knowledge_chunks WHERE search @@ plainto_tsquery('english', :word)",
}


async def _matches(connection: AsyncConnection, word: str) -> int:
    rows = await connection.execute(text(FOUND[connection.dialect.name]), {"word": word})
    return len(rows.all())


async def test_chunks_are_found_by_the_words_of_their_text_and_heading_in_any_form(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        item, _ = await _stored(connection)

        await replace_chunks(
            connection, item, [Chunk(0, "Leaves are steeped.", "Brewing", 1), Chunk(1, "x", None, None)]
        )

        matches = [await _matches(connection, word) for word in ("steeping", "brew", "STEEPED", "coffee")]
        assert matches == [1, 1, 1, 0]


async def test_indexing_anew_leaves_only_the_new_and_the_same_ids_until_the_mind_is_deleted(
    engine: AsyncEngine,
) -> None:
    async with engine.begin() as connection:
        item, _ = await _stored(connection)
        await replace_chunks(connection, item, [Chunk(0, "old", None, None), Chunk(1, "older", None, None)])
        ids = (await connection.execute(text("SELECT id FROM knowledge_chunks ORDER BY position"))).scalars().all()

        await replace_chunks(connection, item, [Chunk(0, "new", None, None)])

        kept = (await connection.execute(text("SELECT id FROM knowledge_chunks"))).scalars().all()
        assert kept == ids[:1]
        assert [await _matches(connection, word) for word in ("old", "older", "new")] == [0, 0, 1]
        assert await count_chunks(connection, item_id=item.id) == await count_chunks(connection, mind_id=MIND.id) == 1

        await delete_row(connection, Mind, MIND.id)
        assert await _matches(connection, "new") == 0


async def test_the_outline_names_titles_and_headings_once_and_in_order(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        item, _ = await _stored(connection)
        headings = ["Green", "Green", None, "Black"]
        await replace_chunks(connection, item, [Chunk(n, "x", heading, None) for n, heading in enumerate(headings)])

        assert await outline(connection, MIND.id) == ["example.com", "Green", "Black"]


async def test_the_outline_tells_keywords_one_by_one_and_not_the_title_of_what_the_owner_said(
    engine: AsyncEngine,
) -> None:
    async with engine.begin() as connection:
        await insert_row(connection, MIND)
        for kind, described in (("persona", "About Ada"), ("keywords", "About Ada"), ("keywords", "matcha, gyokuro")):
            new = new_item(MIND.id, kind, "About Ada", 0, description=described)
            item = await insert_item(connection, new, "x")
            await replace_chunks(connection, item, [Chunk(0, "x", None, None)])

        assert await outline(connection, MIND.id) == ["matcha", "gyokuro"]
