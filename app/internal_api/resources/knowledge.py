"""Knowledge: listed, added, followed while it is read."""

from typing import Any

from sqlalchemy.exc import IntegrityError
from starlette.responses import Response

from app.internal_api.errors import NotFound, PlanLimit
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import Call, json_response
from app.internal_api.http.operation import KNOWN, PREFIX, READ, WRITE, Operations
from app.internal_api.models.knowledge import BY_FIELD, ItemStatus, KnowledgeItem, KnowledgePage, Processing
from app.internal_api.models.wire import Success
from app.internal_api.resources.knowledge_forms import read_form
from app.internal_api.store.jobs import KNOWLEDGE, TRAINING, UNFINISHED, Job, insert_job, latest_training
from app.internal_api.store.knowledge import (
    Item,
    count_item_chunks,
    count_items,
    find_item,
    insert_item,
    list_items,
    requeue_items,
)

COLLECTION = "/minds/{mindId}/knowledge"

operations = Operations()


@operations.add(
    "GET", COLLECTION, "listKnowledge", "What a mind was given to know", READ, {200: Success[KnowledgePage]}
)
async def read_knowledge(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        items = await list_items(connection, mind.id)
    shown = [knowledge_item(item) for item in items]
    return json_response(Success(data=KnowledgePage(items=shown, total=len(shown))))


@operations.add(
    "POST",
    COLLECTION,
    "addKnowledge",
    "Add a link, a file, text or keywords",
    WRITE,
    {202: Success[KnowledgeItem]},
    refusals=(*KNOWN, 422),
    bodies=tuple(BY_FIELD.values()),
    takes_upload=True,
)
async def add_knowledge(call: Call) -> Response:
    """The mind is looked for first, so that a stranger's 50 MB are not read in vain."""
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
    item, text = await read_form(call, mind)
    try:
        stored = await _add_item(call, item, text, may_train=True)
    except IntegrityError:
        # Another request queued a training at the same moment; this item goes behind it.
        stored = await _add_item(call, item, text, may_train=False)
    call.services.wake.set()
    return json_response(Success(data=knowledge_item(stored)), 202)


async def _add_item(call: Call, item: Item, text: str | None, *, may_train: bool) -> Item:
    """Store the item and the job that reads it together, or neither.

    A mind that is ready learns the item beside its work; one that waits for knowledge is trained.
    """
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)  # which may have been deleted while the item was read
        count, limit = await count_items(connection, mind.id), call.services.settings.max_items_per_mind
        if count >= limit:
            message = f"A mind holds at most {limit} knowledge items"
            raise PlanLimit(message, limit_type="knowledgeItems", plan="embedded", limit=limit, current=count)
        latest = await latest_training(connection, mind.id)
        if may_train and item.regenerate_prompt and not mind.ready and latest.status not in UNFINISHED:
            job = Job(mind_id=mind.id, kind=TRAINING, created_at=item.created_at)
            await requeue_items(connection, mind.id, item.created_at, only_failed=True)
        else:
            job = Job(mind_id=mind.id, kind=KNOWLEDGE, item_id=item.id, created_at=item.created_at)
        stored = await insert_item(connection, item, text)
        await insert_job(connection, job)
    return stored


@operations.add(
    "GET",
    f"{COLLECTION}/{{itemId}}/status",
    "getKnowledgeStatus",
    "How far one item is",
    READ,
    {200: Success[ItemStatus]},
)
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
    return json_response(Success(data=status))


def knowledge_item(item: Item) -> KnowledgeItem:
    processing = Processing(
        status=processing_status(item),
        regenerate_prompt=item.regenerate_prompt,
        error=item.error,
        error_code=item.error_code,
        prompt_regenerated=item.prompt_regenerated,
    )
    return KnowledgeItem.model_validate(
        {
            "id": item.id,
            "description": item.description,
            "link": item.link,
            "file_path": item.file_path,
            "source_type": item.source_type,
            "processing": processing,
            "status_url": f"{PREFIX}/minds/{item.mind_id}/knowledge/{item.id}/status",
            "created_at": item.created_at,
            "updated_at": item.updated_at,
        }
    )


def processing_status(item: Item) -> Any:
    """What was collected and waits to be indexed is still running, seen from outside."""
    return "running" if item.status == "collected" else item.status
