"""The forms in which knowledge arrives, each made into an item: a link, a file, text, keywords."""

import asyncio
from typing import Any

from app.internal_api.errors import BadRequest, TooLarge, Unprocessable, UnsupportedMediaType
from app.internal_api.http.body import Upload, media_type, parse, read_json, read_upload
from app.internal_api.http.call import Call
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.models.knowledge import (
    BY_FIELD,
    KeywordsKnowledge,
    Knowledge,
    LinkKnowledge,
    RemoteFileKnowledge,
    TextKnowledge,
)
from app.internal_api.models.wire import one_line
from app.internal_api.resources.mind_creation import admit, keywords_text, link_item
from app.internal_api.store.knowledge import Item, new_item
from app.internal_api.store.minds import Mind

TITLE_LENGTH = 80
REFUSALS = {"too_large": TooLarge, "not_text": UnsupportedMediaType}


async def read_form(call: Call, mind: Mind) -> tuple[Item, str | None]:
    """The item that the request adds, and its text unless it has to be fetched. Raises ApiError."""
    if media_type(call.request) == "multipart/form-data":
        upload = await read_upload(call.request, call.services.settings.max_upload_bytes)
        return await _uploaded(call, mind, upload)
    body = await read_json(call.request, call.services.settings.max_json_bytes)
    given = [field for field in BY_FIELD if body.get(field) is not None]
    if len(given) != 1:
        raise BadRequest("Give exactly one of link, file, text and keywords")
    asked, now = parse(BY_FIELD[given[0]], body), call.services.clock()
    again: dict[str, Any] = {"description": asked.description, "regenerate_prompt": asked.regenerate_prompt}
    match asked:
        case LinkKnowledge():
            await admit(call, asked.link)
            return link_item(mind.id, asked.link, now, **again), None
        case RemoteFileKnowledge():
            await admit(call, asked.file.url)
            name, link = asked.file.name, asked.file.url
            return new_item(mind.id, "document", name, now, file_path=name, link=link, **again), None
        case TextKnowledge():
            title = asked.description or asked.text.splitlines()[0]
            return new_item(mind.id, "text", title[:TITLE_LENGTH], now, **again), asked.text
        case KeywordsKnowledge():
            again["description"] = asked.description or ", ".join(asked.keywords)
            text = keywords_text(mind, asked.keywords)
            return new_item(mind.id, "keywords", f"About {mind.name}", now, **again), text


async def _uploaded(call: Call, mind: Mind, upload: Upload) -> tuple[Item, str]:
    fields = {name: upload.fields.get(name) for name in ("description", "regeneratePrompt")}
    asked, name = parse(Knowledge, fields), file_name(upload.filename)
    try:
        document = await asyncio.to_thread(
            call.services.extract, upload.data, filename=name, media_type=upload.media_type
        )
    except SourceRefused as refusal:
        raise REFUSALS.get(refusal.code, Unprocessable)(refusal.message, {"code": refusal.code}) from None
    # PostgreSQL stores no NUL; a space keeps the offsets of the pages.
    title, text = document.title.replace("\0", " "), document.text.replace("\0", " ")
    item = new_item(
        mind.id,
        "document",
        title or name,
        call.services.clock(),
        source=name,
        description=asked.description or name,
        file_path=name,
        media_type=document.media_type,
        pages=document.pages,
        regenerate_prompt=asked.regenerate_prompt,
    )
    return item, text


def file_name(given: str) -> str:
    """The last part of what the client calls the file. Raises BadRequest for control characters."""
    name = given.replace("\\", "/").rpartition("/")[2].strip()
    try:
        one_line(name)
    except ValueError:
        raise BadRequest("The file's name holds control characters") from None
    return name[-255:] or "file"
