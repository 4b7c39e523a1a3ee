"""Storing a new item and queueing the job that reads it."""

from sqlalchemy.exc import IntegrityError

from app.internal_api.errors import PlanLimit
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.call import Call
from app.internal_api.store.jobs import (
    KNOWLEDGE,
    TRAINING,
    UNFINISHED,
    Job,
    insert_job,
    latest_training,
    new_job,
)
from app.internal_api.store.knowledge import Item, count_items, insert_item, requeue_items
from app.internal_api.store.minds import Mind


async def feed(call: Call, item: Item, text: str | None) -> Item:
    """Store the item and its job together, or neither.

    Raises:
        MindNotFound: the mind was deleted while the item was read.
        PlanLimit: the mind has as many items as it may have.

    """
    try:
        return await _feed(call, item, text, may_train=True)
    except IntegrityError:
        # Another request queued a training at the same moment; this item goes behind it.
        return await _feed(call, item, text, may_train=False)


async def _feed(call: Call, item: Item, text: str | None, *, may_train: bool) -> Item:
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)
        _refuse_too_many(await count_items(connection, mind.id), call.services.settings.max_items_per_mind)
        job = _job(mind, await latest_training(connection, mind.id), item, may_train=may_train)
        if job.kind == TRAINING:
            await requeue_items(connection, mind.id, item.created_at, only_failed=True)
        stored = await insert_item(connection, item, text)
        await insert_job(connection, job)
    return stored


def _job(mind: Mind, latest: Job, item: Item, *, may_train: bool) -> Job:
    """A mind that is ready learns the item beside its work; one that waits for knowledge is trained."""
    waits = not mind.ready and latest.status not in UNFINISHED
    if waits and may_train and item.regenerate_prompt:
        return new_job(mind.id, TRAINING, item.created_at)
    return new_job(mind.id, KNOWLEDGE, item.created_at, item_id=item.id)


def _refuse_too_many(count: int, limit: int) -> None:
    if count >= limit:
        message = f"A mind holds at most {limit} knowledge items"
        raise PlanLimit(message, limit_type="knowledgeItems", plan="embedded", limit=limit, current=count)
