"""The stage `index`: cut what was read into chunks and make them findable."""

import asyncio
from collections.abc import Callable

from app.internal_api.knowledge.documents import Chunk, Document
from app.internal_api.store.chunks import count_mind_chunks, replace_chunks
from app.internal_api.store.jobs import TRAINING
from app.internal_api.store.knowledge import Item, fail_item, read_text, set_item_status
from app.internal_api.training.collect import common_code, items_of
from app.internal_api.training.desk import Desk, StageFailed

NO_TEXT = "No source has readable text"


async def index(desk: Desk, chunk: Callable[[Document], list[Chunk]]) -> None:
    """Index what was collected and not yet indexed.

    Raises:
        StageFailed: the mind has no text at all.

    """
    items = await items_of(desk)
    for number, item in enumerate(items, 1):
        if item.status == "collected":
            message = f"Indexing {number} of {len(items)} sources"
            await desk.say("index", message, number - 1, len(items))
            await _index_item(desk, item, chunk)
    if desk.job.kind == TRAINING:
        async with desk.read() as connection:
            if await count_mind_chunks(connection, desk.job.mind_id) == 0:
                reason = common_code(await items_of(desk))
                raise StageFailed("COLLECTION_FAILED", NO_TEXT, retryable=False, reason=reason)


async def _index_item(desk: Desk, item: Item, chunk: Callable[[Document], list[Chunk]]) -> None:
    async with desk.read() as connection:
        document = _document_of(item, await read_text(connection, item.id))
    chunks = await asyncio.to_thread(chunk, document)
    async with desk.write() as connection:
        await replace_chunks(connection, item, chunks)
        if chunks:
            await set_item_status(connection, item.id, "completed", desk.clock())
        else:
            why = {"code": "no_text", "error": "No readable text"}
            await fail_item(connection, item.id, desk.clock(), **why, retryable=False)


def _document_of(item: Item, text: str) -> Document:
    return Document(
        title=item.title,
        text=text,
        source=item.source,
        link=item.link,
        media_type=item.media_type,
        pages=None if item.pages is None else tuple(item.pages),
    )
