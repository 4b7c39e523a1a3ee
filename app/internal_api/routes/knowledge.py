"""Knowledge: listed, added, followed while it is read."""

from starlette.responses import Response

from app.internal_api.errors import NotFound
from app.internal_api.models.knowledge import (
    AddedKnowledge,
    ItemStatus,
    ItemStatusAnswer,
    KnowledgeList,
    KnowledgePage,
)
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.additions import read_addition
from app.internal_api.routes.call import Call
from app.internal_api.routes.feeding import feed
from app.internal_api.routes.shown import knowledge_item, processing_status
from app.internal_api.store.chunks import count_item_chunks
from app.internal_api.store.knowledge import find_item, list_items


async def read_knowledge(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        items = await list_items(connection, mind.id)
    shown = [knowledge_item(item, call.dialect) for item in items]
    return call.answer(KnowledgeList(data=KnowledgePage(items=shown, total=len(shown))))


async def add_knowledge(call: Call) -> Response:
    """The mind is looked for first, so that a stranger's 50 MB are not read in vain."""
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
    item, text = await read_addition(call, mind)
    stored = await feed(call, item, text)
    call.services.wake.set()
    return call.answer(AddedKnowledge(data=knowledge_item(stored, call.dialect)), 202)


async def read_item_status(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        item = await find_item(connection, mind.id, call.id("itemId"))
        if item is None:
            raise NotFound("Knowledge item not found")
        chunk_count = await count_item_chunks(connection, item.id)
    status = ItemStatus(
        id=item.id,
        status=processing_status(item),
        error=item.error,
        chunk_count=chunk_count,
        ready_for_retrieval=chunk_count > 0,
        regenerate_prompt=item.regenerate_prompt,
        prompt_regenerated=item.prompt_regenerated,
    )
    return call.answer(ItemStatusAnswer(data=status))
