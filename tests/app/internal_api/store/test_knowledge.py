"""Knowledge items as rows."""

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.knowledge.documents import Document
from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind, link_item
from app.internal_api.store.knowledge import (
    Item,
    count_items,
    fail_item,
    fail_unfinished,
    find_item,
    insert_item,
    list_items,
    mark_prompt_regenerated,
    new_item,
    read_text,
    requeue_items,
    set_item_status,
    sources_of,
    store_document,
)
from app.internal_api.store.minds import insert_mind
from tests.app.internal_api.support import ADA, KEYWORDS, LINK

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)


async def _stored(connection: AsyncConnection) -> tuple[Item, Item]:
    """A link without text, and a text."""
    await insert_mind(connection, MIND)
    text = new_item(MIND.id, "text", 0, title="T", source="S", description="D")
    return (
        await insert_item(connection, link_item(MIND.id, LINK, 0), None),
        await insert_item(connection, text, "words"),
    )


async def test_items_come_back_in_the_order_in_which_they_were_added(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, text = await _stored(connection)

        assert await list_items(connection, MIND.id) == [link, text]
        assert await find_item(connection, MIND.id, text.id) == text
        assert await find_item(connection, ADA.user_id, text.id) is None
        assert await count_items(connection, MIND.id) == 2
        assert (link.position, link.has_text, text.position, text.has_text) == (0, False, 1, True)


async def test_what_was_read_is_kept_with_its_pages(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, _ = await _stored(connection)

        await store_document(connection, link.id, Document("Guide", "a\nb", "host", LINK, "text/html", (0, 2)), 7)

        found = await find_item(connection, MIND.id, link.id)
        assert found is not None
        assert (found.title, found.status, found.pages, found.updated_at) == ("Guide", "collected", [0, 2], 7)
        assert await read_text(connection, link.id) == "a\nb"
        assert await sources_of(connection, [link.id]) == {link.id: "host"}


async def test_a_source_that_was_not_read_yet_has_empty_text(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, _ = await _stored(connection)

        assert await read_text(connection, link.id) == ""


async def test_failed_items_are_queued_again_alone_or_with_all_others(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, text = await _stored(connection)
        await fail_item(connection, link.id, 1, code="http_status", error="Gone", retryable=True)
        await set_item_status(connection, text.id, "completed", 1)

        await requeue_items(connection, MIND.id, 2, only_failed=True)
        some = [(item.status, item.error, item.error_code) for item in await list_items(connection, MIND.id)]
        await requeue_items(connection, MIND.id, 3)
        every = [item.status for item in await list_items(connection, MIND.id)]

    assert some == [("queued", None, None), ("completed", None, None)]
    assert every == ["queued", "queued"]


async def test_a_failed_job_fails_what_it_left_undone_and_nothing_else(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, text = await _stored(connection)
        await set_item_status(connection, text.id, "completed", 1)

        await fail_unfinished(connection, MIND.id, text.id, "Interrupted", 2)
        only_text = [item.status for item in await list_items(connection, MIND.id)]
        await fail_unfinished(connection, MIND.id, None, "Interrupted", 2)
        found = await find_item(connection, MIND.id, link.id)

    assert only_text == ["queued", "completed"]
    assert found is not None
    assert (found.status, found.error, found.error_retryable) == ("failed", "Interrupted", True)


async def test_a_prompt_written_for_an_item_is_noted(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        link, _ = await _stored(connection)

        await mark_prompt_regenerated(connection, link.id, 3)

        found = await find_item(connection, MIND.id, link.id)
    assert found is not None
    assert found.prompt_regenerated is True
