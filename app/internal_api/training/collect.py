"""The stage `collect`: read every source that has an address."""

from dataclasses import replace

from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.reading import Fetch
from app.internal_api.store.jobs import TRAINING
from app.internal_api.store.knowledge import (
    Item,
    fail_item,
    list_items,
    set_item_status,
    store_document,
)
from app.internal_api.training.desk import Desk, StageFailed
from app.internal_api.training.plan import progress

READ = {
    "collected",
    "completed",
    "failed",
}  # by this job before it was cut off, or by a job of the item's own


async def collect(desk: Desk, fetch: Fetch) -> None:
    """Read what has not been read.

    Raises:
        StageFailed: no source of the mind could ever be read.

    """
    items = await items_of(desk)
    for number, item in enumerate(items, 1):
        if item.status not in READ:
            await _begin(desk, item, number, len(items))
            await _read(desk, item, fetch)
    if desk.job.kind == TRAINING:
        _must_know_something(await items_of(desk))


async def items_of(desk: Desk) -> list[Item]:
    """The sources that the job is about."""
    async with desk.read() as connection:
        items = await list_items(connection, desk.job.mind_id)
    return [item for item in items if desk.job.item_id in {None, item.id}]


async def _begin(desk: Desk, item: Item, number: int, total: int) -> None:
    message = f"Reading {number} of {total} sources"
    done = progress("collect", number - 1, total)
    async with desk.write(stage="collect", message=message, progress=done) as connection:
        await set_item_status(connection, item.id, "running", desk.clock())


async def _read(desk: Desk, item: Item, fetch: Fetch) -> None:
    if item.link is None:
        async with desk.write() as connection:
            await set_item_status(connection, item.id, "collected", desk.clock())
        return
    try:
        document = await fetch(item.link)
    except SourceRefused as refusal:
        async with desk.write() as connection:
            why = {"code": refusal.code, "error": refusal.message}
            await fail_item(connection, item.id, desk.clock(), **why, retryable=refusal.is_passing)
        return
    async with desk.write() as connection:
        await store_document(connection, item.id, _storable(document), desk.clock())


def _storable(document: Document) -> Document:
    # PostgreSQL stores no NUL; a space keeps the offsets of the pages.
    text, title = document.text.replace("\0", " "), document.title.replace("\0", " ")
    return replace(document, text=text, title=title)


def _must_know_something(items: list[Item]) -> None:
    if any(item.has_text for item in items):
        return
    message = next((item.error for item in items if item.error), "No source could be read")
    retryable = any(item.error_retryable for item in items)
    raise StageFailed("COLLECTION_FAILED", message, retryable=retryable, reason=common_code(items))


def common_code(items: list[Item]) -> str | None:
    """Why the items failed, where it was the same for all of them."""
    codes = {item.error_code for item in items}
    return codes.pop() if len(codes) == 1 else None
