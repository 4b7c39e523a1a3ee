"""The forms in which knowledge arrives, each made into an item: a link, a file, text, keywords."""

import asyncio

from app.internal_api.errors import ApiError, BadRequest, TooLarge, Unprocessable, UnsupportedMediaType
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.models.knowledge import (
    BY_FIELD,
    KeywordsKnowledge,
    LinkKnowledge,
    RemoteFileKnowledge,
    TextKnowledge,
    UploadFields,
)
from app.internal_api.models.wire import one_line
from app.internal_api.routes.body import Upload, media_type, parse, read_json, read_upload
from app.internal_api.routes.call import Call
from app.internal_api.routes.creation import admit
from app.internal_api.routes.drafts import keywords_text, link_item
from app.internal_api.store.knowledge import Item, new_item
from app.internal_api.store.minds import Mind

Addition = tuple[Item, str | None]
TITLE_LENGTH = 80


async def read_addition(call: Call, mind: Mind) -> Addition:
    """The item that the request adds. Raises ApiError for what is not taken."""
    if media_type(call.request) == "multipart/form-data":
        upload = await read_upload(call.request, call.services.settings.max_upload_bytes)
        return await _uploaded(call, mind, upload)
    body = await read_json(call.request, call.services.settings.max_json_bytes)
    given = [field for field in BY_FIELD if body.get(field) is not None]
    if len(given) != 1:
        raise BadRequest("Give exactly one of link, file, text and keywords")
    match parse(BY_FIELD[given[0]], body):
        case LinkKnowledge() as asked:
            return await _linked(call, mind, asked)
        case RemoteFileKnowledge() as asked:
            return await _remote(call, mind, asked)
        case TextKnowledge() as asked:
            return _written(call, mind, asked)
        case KeywordsKnowledge() as asked:
            return _listed(call, mind, asked)


async def _linked(call: Call, mind: Mind, asked: LinkKnowledge) -> Addition:
    await admit(call, asked.link)
    now, again = call.services.clock(), asked.regenerate_prompt
    item = link_item(mind.id, asked.link, now, description=asked.description, regenerate_prompt=again)
    return item, None


async def _remote(call: Call, mind: Mind, asked: RemoteFileKnowledge) -> Addition:
    await admit(call, asked.file.url)
    return new_item(
        mind.id,
        "document",
        call.services.clock(),
        title=asked.file.name,
        source=asked.file.name,
        description=asked.description or asked.file.name,
        link=asked.file.url,
        file_path=asked.file.name,
        regenerate_prompt=asked.regenerate_prompt,
    ), None


def _written(call: Call, mind: Mind, asked: TextKnowledge) -> Addition:
    title = asked.description or asked.text.splitlines()[0]
    return new_item(
        mind.id,
        "text",
        call.services.clock(),
        title=title[:TITLE_LENGTH],
        source=title[:TITLE_LENGTH],
        description=asked.description or title[:TITLE_LENGTH],
        regenerate_prompt=asked.regenerate_prompt,
    ), asked.text


def _listed(call: Call, mind: Mind, asked: KeywordsKnowledge) -> Addition:
    words = ", ".join(asked.keywords)
    return new_item(
        mind.id,
        "keywords",
        call.services.clock(),
        title=f"About {mind.name}",
        source=f"About {mind.name}",
        description=asked.description or words,
        regenerate_prompt=asked.regenerate_prompt,
    ), keywords_text(mind, asked.keywords)


async def _uploaded(call: Call, mind: Mind, upload: Upload) -> Addition:
    fields = parse(
        UploadFields,
        {
            "description": upload.fields.get("description"),
            "regeneratePrompt": upload.fields.get("regeneratePrompt"),
        },
    )
    name = file_name(upload.filename)
    document = await _extracted(call, upload, name)
    return new_item(
        mind.id,
        "document",
        call.services.clock(),
        title=document.title.replace("\0", " ") or name,
        source=name,
        description=fields.description or name,
        file_path=name,
        media_type=document.media_type,
        pages=document.pages,
        regenerate_prompt=fields.regenerate_prompt,
    ), document.text.replace("\0", " ")


async def _extracted(call: Call, upload: Upload, name: str) -> Document:
    try:
        return await asyncio.to_thread(call.services.extract, upload.data, filename=name, media_type=upload.media_type)
    except SourceRefused as refusal:
        raise _refused(refusal) from None


def _refused(refusal: SourceRefused) -> ApiError:
    data = {"code": refusal.code}
    if refusal.code == "too_large":
        return TooLarge(refusal.message, data)
    if refusal.code == "not_text":
        return UnsupportedMediaType(refusal.message, data)
    return Unprocessable(refusal.message, data)


def file_name(given: str) -> str:
    """The last part of what the client calls the file. Raises BadRequest for control characters."""
    name = given.replace("\\", "/").rpartition("/")[2].strip()
    try:
        one_line(name)
    except ValueError:
        raise BadRequest("The file's name holds control characters") from None
    return name[-255:] or "file"
