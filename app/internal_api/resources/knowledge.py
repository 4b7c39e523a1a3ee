"""Knowledge: listed, added as a link, a file, text or keywords, and followed while it is read."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.datastructures import UploadFile
from starlette.responses import Response

from app.internal_api import errors
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import NO_STORE, Call, json_response, parse
from app.internal_api.http.operation import PREFIX, READ, WRITE, operation
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.models import minds as models
from app.internal_api.models.wire import Success, one_line
from app.internal_api.resources.minds import ABOUT, admit, keywords_text, link_item
from app.internal_api.store import knowledge as store
from app.internal_api.store.minds import KNOWLEDGE, TRAINING, UNFINISHED, Job, Mind, latest_training
from app.internal_api.store.rows import delete_row, insert_row, update_row

COLLECTION = "/minds/{mindId}/knowledge"
ADDED = {202: Success[models.KnowledgeItem]}
TITLE_LENGTH = 80
REFUSALS = {"too_large": errors.TooLarge, "not_text": errors.UnsupportedMediaType}


@operation("GET", COLLECTION, READ, Success[models.KnowledgePage])
async def list_knowledge(call: Call) -> Response:
    """What a mind was given to know."""
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        items = await store.list_items(connection, mind.id)
    shown = [knowledge_item(item) for item in items]
    return json_response(Success(data=models.KnowledgePage(items=shown, total=len(shown))))


@operation("POST", COLLECTION, WRITE, ADDED, body=models.AddKnowledge, takes_upload=True, refusals=(422,))
async def add_knowledge(call: Call) -> Response:
    """Add a link, a file, text or keywords.

    The mind is looked for first, so that a stranger's 50 MB are not read in vain.
    """
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
    item, text = await read_form(call, mind)
    try:
        stored = await _add_item(call, item, text, may_train=True)
    except IntegrityError:
        # Another request queued a training at the same moment; this item goes behind it.
        stored = await _add_item(call, item, text, may_train=False)
    call.services.wake_training.set()
    return json_response(Success(data=knowledge_item(stored)), 202)


async def _add_item(call: Call, item: store.Item, text: str | None, *, may_train: bool) -> store.Item:
    """Store the item and the job that reads it together, or neither.

    A mind that is ready learns the item beside its work; one that waits for knowledge is trained.
    """
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)  # which may have been deleted while the item was read
        count, limit = await store.count_items(connection, mind.id), call.services.settings.max_items_per_mind
        if count >= limit:
            message = f"A mind holds at most {limit} knowledge items"
            raise errors.PlanLimit(message, limit_type="knowledgeItems", plan="embedded", limit=limit, current=count)
        latest = await latest_training(connection, mind.id)
        if may_train and item.regenerate_prompt and not mind.ready and latest.status not in UNFINISHED:
            job = Job(mind_id=mind.id, kind=TRAINING, created_at=item.created_at)
            await store.requeue_items(connection, mind.id, item.created_at, only_failed=True)
        else:
            job = Job(mind_id=mind.id, kind=KNOWLEDGE, item_id=item.id, created_at=item.created_at)
        stored = await store.insert_item(connection, item, text)
        await insert_row(connection, job)
    return stored


@operation("GET", f"{COLLECTION}/{{itemId}}/status", READ, Success[models.ItemStatus])
async def get_knowledge_status(call: Call) -> Response:
    """How far one item is."""
    async with call.services.read() as connection:
        item = await _named(call, connection)
        chunk_count = await store.count_chunks(connection, item_id=item.id)
    more = {"status": processing_status(item), "chunk_count": chunk_count, "ready_for_retrieval": chunk_count > 0}
    return json_response(Success(data=models.ItemStatus.model_validate({**asdict(item), **more})))


@operation("DELETE", f"{COLLECTION}/{{itemId}}", WRITE, {204: None}, refusals=(409,))
async def remove_knowledge(call: Call) -> Response:
    """Forget one item. What the prompt took from it stays until it is written anew; without items there is none."""
    async with call.services.engine.begin() as connection:
        item = await _named(call, connection)
        if item.status not in {"completed", "failed"}:
            raise errors.Conflict("This item is being read", {"code": "KNOWLEDGE_BUSY"})
        await delete_row(connection, store.Item, item.id)
        if not await store.count_items(connection, item.mind_id):
            await update_row(connection, Mind, item.mind_id, system_prompt=None)
    return Response(status_code=204, headers=NO_STORE)


async def _named(call: Call, connection: AsyncConnection) -> store.Item:
    mind = await reachable_mind(call, connection)
    if (item := await store.find_item(connection, mind.id, call.id("itemId"))) is None:
        raise errors.NotFound("Knowledge item not found")
    return item


def knowledge_item(item: store.Item) -> models.KnowledgeItem:
    fields = asdict(item)
    processing = {**fields, "status": processing_status(item)}
    status_url = f"{PREFIX}/minds/{item.mind_id}/knowledge/{item.id}/status"
    return models.KnowledgeItem.model_validate({**fields, "processing": processing, "status_url": status_url})


def processing_status(item: store.Item) -> str:
    """What was collected and waits to be indexed is still running, seen from outside."""
    return "running" if item.status == "collected" else item.status


async def read_form(call: Call, mind: Mind) -> tuple[store.Item, str | None]:
    """The item that the request adds, and its text unless it has to be fetched. Raises ApiError."""
    if call.media_type == "multipart/form-data":
        async with call.upload() as (file, fields):
            return await _uploaded(call, mind, file, fields)
    asked, now = await call.asked(models.AddKnowledge), call.services.clock()
    again: dict[str, Any] = {"description": asked.description, "regenerate_prompt": asked.regenerate_prompt}
    if asked.link is not None:
        await admit(call, asked.link)
        return link_item(mind.id, asked.link, now, **again), None
    if asked.file is not None:
        await admit(call, asked.file.url)
        name, link = asked.file.name, asked.file.url
        return store.new_item(mind.id, "document", name, now, file_path=name, link=link, **again), None
    if asked.text is not None:
        title = asked.description or asked.text.splitlines()[0]
        return store.new_item(mind.id, "text", title[:TITLE_LENGTH], now, **again), asked.text
    keywords = asked.keywords or ()
    again["description"] = asked.description or ", ".join(keywords)
    again["regenerate_prompt"] = asked.regenerate_prompt or "regenerate_prompt" not in asked.model_fields_set
    return store.new_item(mind.id, "keywords", ABOUT.format(mind.name), now, **again), keywords_text(mind, keywords)


async def _uploaded(call: Call, mind: Mind, file: UploadFile, fields: Mapping[str, str]) -> tuple[store.Item, str]:
    given = {name: fields.get(name) for name in ("description", "regeneratePrompt")}
    asked, name = parse(models.Knowledge, given), file_name(file.filename or "")
    try:
        async with call.services.uploads.turn(call.principal.user_id):
            document = await call.services.reading.extract(file.file, filename=name, media_type=file.content_type)
    except SourceRefused as refusal:
        raise REFUSALS.get(refusal.code, errors.Unprocessable)(refusal.message, {"code": refusal.code}) from None
    read: dict[str, Any] = {"source": name, "file_path": name, "media_type": document.media_type}
    read |= {
        "pages": document.pages,
        "description": asked.description or name,
        "regenerate_prompt": asked.regenerate_prompt,
    }
    title = (asked.description or document.title or name)[:TITLE_LENGTH]
    return store.new_item(mind.id, "document", title, call.services.clock(), **read), document.text


def file_name(given: str) -> str:
    """The last part of what the client calls the file. Raises BadRequest for control characters."""
    name = given.replace("\\", "/").rpartition("/")[2].strip()
    try:
        one_line(name)
    except ValueError:
        raise errors.BadRequest("The file's name holds control characters") from None
    return name[-255:] or "file"
