"""Knowledge items as rows; their text, which may be long, is read only where it is needed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol
from uuid import uuid4

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.tables import knowledge_items as items


class Readable(Protocol):
    """What is kept of a document that was read."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def pages(self) -> Sequence[int] | None: ...


@dataclass(frozen=True, slots=True)
class Item:
    """One source, without its text. `position` orders the sources of a mind."""

    id: str
    mind_id: str
    source_type: str
    description: str
    title: str
    source: str
    link: str | None
    file_path: str | None
    media_type: str
    pages: Sequence[int] | None
    status: str
    error: str | None
    error_code: str | None
    error_retryable: bool | None
    regenerate_prompt: bool
    prompt_regenerated: bool
    position: int
    created_at: int
    updated_at: int
    has_text: bool


def new_item(
    mind_id: str,
    source_type: str,
    now: int,
    *,
    title: str,
    source: str,
    description: str,
    link: str | None = None,
    file_path: str | None = None,
    media_type: str = "text/plain",
    pages: Sequence[int] | None = None,
    regenerate_prompt: bool = False,
) -> Item:
    """An item that waits to be read and indexed."""
    return Item(
        id=str(uuid4()),
        mind_id=mind_id,
        source_type=source_type,
        description=description,
        title=title,
        source=source,
        link=link,
        file_path=file_path,
        media_type=media_type,
        pages=pages,
        status="queued",
        error=None,
        error_code=None,
        error_retryable=None,
        regenerate_prompt=regenerate_prompt,
        prompt_regenerated=False,
        position=0,
        created_at=now,
        updated_at=now,
        has_text=False,
    )


async def insert_item(connection: AsyncConnection, item: Item, text: str | None) -> Item:
    """Add it behind the mind's other items; `text` is None for what has to be fetched."""
    behind = await count_items(connection, item.mind_id)
    stored = replace(item, position=behind, has_text=text is not None)
    row = {key: value for key, value in asdict(stored).items() if key != "has_text"}
    await connection.execute(insert(items).values({**row, "text": text}))
    return stored


async def count_items(connection: AsyncConnection, mind_id: str) -> int:
    of_mind = select(func.count()).select_from(items).where(items.c.mind_id == mind_id)
    return (await connection.execute(of_mind)).scalar_one()


async def list_items(connection: AsyncConnection, mind_id: str) -> list[Item]:
    """In the order in which they were added."""
    of_mind = select(*_columns()).where(items.c.mind_id == mind_id)
    rows = await connection.execute(of_mind.order_by(items.c.position, items.c.id))
    return [Item(**row) for row in rows.mappings()]


async def find_item(connection: AsyncConnection, mind_id: str, item_id: str) -> Item | None:
    wanted = select(*_columns()).where(items.c.id == item_id, items.c.mind_id == mind_id)
    row = (await connection.execute(wanted)).mappings().one_or_none()
    return None if row is None else Item(**row)


async def requeue_items(connection: AsyncConnection, mind_id: str, now: int, *, only_failed: bool = False) -> None:
    """Have the sources read and indexed again; what was known stays known until then."""
    chosen = items.c.mind_id == mind_id
    if only_failed:
        chosen &= items.c.status == "failed"
    fresh = {"status": "queued", "error": None, "error_code": None, "error_retryable": None, "updated_at": now}
    await connection.execute(update(items).where(chosen).values(**fresh))


async def set_item_status(connection: AsyncConnection, item_id: str, status: str, now: int) -> None:
    await connection.execute(update(items).where(items.c.id == item_id).values(status=status, updated_at=now))


async def fail_item(
    connection: AsyncConnection, item_id: str, now: int, *, code: str, error: str, retryable: bool
) -> None:
    """`error` is shown to the owner; `code` is the stable word for it."""
    why = {"error": error, "error_code": code, "error_retryable": retryable}
    failed = {"status": "failed", "updated_at": now, **why}
    await connection.execute(update(items).where(items.c.id == item_id).values(**failed))


async def fail_unfinished(connection: AsyncConnection, mind_id: str, item_id: str | None, error: str, now: int) -> None:
    """What a failed job leaves undone is failed too; `item_id` is None for all items of the mind."""
    undone = (items.c.mind_id == mind_id) & items.c.status.in_(("queued", "running", "collected"))
    if item_id is not None:
        undone &= items.c.id == item_id
    failed = {"status": "failed", "error": error, "error_retryable": True, "updated_at": now}
    await connection.execute(update(items).where(undone).values(**failed))


async def store_document(connection: AsyncConnection, item_id: str, document: Readable, now: int) -> None:
    """Keep what was read from an address."""
    read = {
        "text": document.text,
        "title": document.title,
        "source": document.source,
        "media_type": document.media_type,
        "pages": list(document.pages) if document.pages is not None else None,
    }
    await connection.execute(
        update(items).where(items.c.id == item_id).values(**read, status="collected", updated_at=now)
    )


async def read_text(connection: AsyncConnection, item_id: str) -> str:
    """The item's text, as it was given or read; empty when there is none yet."""
    text = await connection.execute(select(items.c.text).where(items.c.id == item_id))
    return text.scalar_one() or ""


async def mark_prompt_regenerated(connection: AsyncConnection, item_id: str, now: int) -> None:
    await connection.execute(update(items).where(items.c.id == item_id).values(prompt_regenerated=True, updated_at=now))


async def sources_of(connection: AsyncConnection, item_ids: Sequence[str]) -> dict[str, str]:
    """What a citation shows of each item: a host, a file name."""
    rows = await connection.execute(select(items.c.id, items.c.source).where(items.c.id.in_(item_ids)))
    return {row.id: row.source for row in rows}


def _columns() -> list[ColumnElement[Any]]:
    named = [column for column in items.c if column.name != "text"]
    return [*named, items.c.text.is_not(None).label("has_text")]
