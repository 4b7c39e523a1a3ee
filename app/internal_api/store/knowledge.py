"""Knowledge items as rows, and the chunks that the full-text index finds; an item's text is read only where needed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

import sqlalchemy as sql
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.minds import STATE, minds
from app.internal_api.store.rows import count, find_all, find_one, metadata, new_id, table_of, values

OUTLINE_LENGTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One source without its text, by default one that waits to be read. `position` orders the sources of a mind."""

    id: str = new_id()
    mind_id: str
    source_type: str  # link | document | text | keywords | persona
    description: str
    title: str
    source: str  # what a citation shows: host or file name
    link: str | None = None
    file_path: str | None = None
    media_type: str = "text/plain"
    pages: Sequence[int] | None = None  # offset in the text at which each page begins
    status: str = "queued"  # queued | running | collected | completed | failed
    error: str | None = None
    error_code: str | None = None
    error_retryable: bool | None = None
    regenerate_prompt: bool = False
    prompt_regenerated: bool = False
    position: int = 0
    created_at: int
    updated_at: int
    has_text: bool = False


items = table_of(Item, "knowledge_items", sql.Column("text", sql.String), without="has_text")
# Full text: SQLite has the FTS5 table `knowledge_fts(text, heading)` over this table, whose rowid is `seq`,
# kept by triggers; PostgreSQL has the generated column `search` (tsvector, 'english') with a GIN index.
chunks = sql.Table(
    "knowledge_chunks",
    metadata,
    *(sql.Column(name, sql.BigInteger) for name in ("seq", "position", "page")),
    *(sql.Column(name, sql.String) for name in ("id", "item_id", "mind_id", "text", "heading")),
)


_number = sql.select(sql.func.count()).where(items.c.mind_id == minds.c.id).correlate(minds).scalar_subquery()
MEMBER_STATE = sql.case(((STATE == "failed") & (_number == 0), "empty"), else_=STATE)
"""As STATE; but a mind that was given nothing has not failed: it is empty."""


def new_item(mind_id: str, source_type: str, title: str, now: int, *, description: str = "", **more: Any) -> Item:
    """An item that waits to be read and indexed; `more` are other fields."""
    shown = {"title": title, "source": title, "description": description or title}
    return Item(mind_id=mind_id, source_type=source_type, created_at=now, updated_at=now, **{**shown, **more})


async def insert_item(connection: AsyncConnection, item: Item, text: str | None) -> Item:
    """Add it behind the mind's other items; `text` is None for what has to be fetched."""
    behind = await count_items(connection, item.mind_id)
    stored = replace(item, position=behind, has_text=text is not None)
    await connection.execute(sql.insert(items).values({**values(stored, without="has_text"), "text": text}))
    return stored


async def count_items(connection: AsyncConnection, mind_id: str) -> int:
    return await count(connection, items, items.c.mind_id == mind_id)


async def list_states(connection: AsyncConnection, mind_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Of each mind: the status of its training, whether it may be talked to, and how many items it has."""
    wanted = sql.select(minds.c.id, STATE, minds.c.system_prompt.is_not(None), _number).where(minds.c.id.in_(mind_ids))
    names = ("training_status", "ready_to_chat", "knowledge_item_count")
    return {row[0]: dict(zip(names, row[1:], strict=True)) for row in await connection.execute(wanted)}


async def list_items(connection: AsyncConnection, mind_id: str) -> list[Item]:
    """In the order in which they were added."""
    return await find_all(connection, Item, _of_mind(mind_id).order_by(items.c.position, items.c.id))


async def find_item(connection: AsyncConnection, mind_id: str, item_id: str) -> Item | None:
    return await find_one(connection, Item, _of_mind(mind_id).where(items.c.id == item_id))


def _of_mind(mind_id: str) -> sql.Select[Any]:
    named = [column for column in items.c if column.name != "text"]
    return sql.select(*named, items.c.text.is_not(None).label("has_text")).where(items.c.mind_id == mind_id)


async def requeue_items(connection: AsyncConnection, mind_id: str, now: int, *, only_failed: bool = False) -> None:
    """Have the sources read and indexed again; what was known stays known until then."""
    chosen = items.c.mind_id == mind_id
    if only_failed:
        chosen &= items.c.status == "failed"
    await _set(connection, chosen, now, status="queued", error=None, error_code=None, error_retryable=None)


async def fail_unfinished(connection: AsyncConnection, mind_id: str, item_id: str | None, error: str, now: int) -> None:
    """What a failed job leaves undone is failed too; `item_id` is None for all items of the mind."""
    undone = (items.c.mind_id == mind_id) & items.c.status.in_(("queued", "running", "collected"))
    if item_id is not None:
        undone &= items.c.id == item_id
    await _set(connection, undone, now, status="failed", error=error, error_retryable=True)


async def update_item(connection: AsyncConnection, item_id: str, now: int, **changed: Any) -> None:
    await _set(connection, items.c.id == item_id, now, **changed)


async def retitle_items(connection: AsyncConnection, mind_id: str, before: str, title: str, now: int) -> None:
    """Give those of a mind that are called `before` another title."""
    titled = (items.c.mind_id == mind_id) & (items.c.title == before)
    described = sql.func.replace(items.c.description, before, title)
    await _set(connection, titled, now, title=title, source=title, description=described)


async def _set(connection: AsyncConnection, chosen: sql.ColumnElement[bool], now: int, **changed: Any) -> None:
    await connection.execute(sql.update(items).where(chosen).values(**changed, updated_at=now))


async def read_text(connection: AsyncConnection, item_id: str) -> str:
    """The item's text, as it was given or read; empty when there is none yet."""
    text = await connection.execute(sql.select(items.c.text).where(items.c.id == item_id))
    return text.scalar_one() or ""


async def sources_of(connection: AsyncConnection, item_ids: Sequence[str]) -> dict[str, str]:
    """What a citation shows of each item: a host, a file name."""
    rows = await connection.execute(sql.select(items.c.id, items.c.source).where(items.c.id.in_(item_ids)))
    return {row.id: row.source for row in rows}


async def replace_chunks(connection: AsyncConnection, item: Item, found: Sequence[Any]) -> None:
    """Index an item anew; each chunk has a position, a text, a heading and a page.

    Ids depend on item and position only, so doing it twice changes nothing.
    """
    # Two jobs of one mind never run at once, but a worker that lost its lease may still be on its way.
    await connection.execute(sql.select(items.c.id).where(items.c.id == item.id).with_for_update())
    await connection.execute(sql.delete(chunks).where(chunks.c.item_id == item.id))
    whose = {"item_id": item.id, "mind_id": item.mind_id}
    rows = [{**values(chunk), **whose, "id": str(uuid5(UUID(item.id), str(chunk.position)))} for chunk in found]
    if rows:
        await connection.execute(sql.insert(chunks), rows)


async def count_chunks(connection: AsyncConnection, **of: str) -> int:
    """Of the item `item_id`, or of the mind `mind_id`."""
    return await count(connection, chunks, *(chunks.c[name] == value for name, value in of.items()))


async def outline(connection: AsyncConnection, mind_id: str) -> list[str]:
    """What the knowledge is about: titles, headings and keywords in reading order, each once.

    What the owner said has no title of its own: it is called after the mind, which is no subject.
    """
    ordered = (
        sql.select(items.c.source_type, items.c.title, items.c.description, chunks.c.heading)
        .join(chunks, chunks.c.item_id == items.c.id)
        .where(items.c.mind_id == mind_id)
        .order_by(items.c.position, chunks.c.position)
    )
    words: dict[str, None] = {}
    for kind, title, description, heading in await connection.execute(ordered):
        if kind == "keywords" and description != title:
            words |= dict.fromkeys(description.split(", "))
        elif kind not in {"keywords", "persona"}:
            words.setdefault(title)
        if heading:
            words.setdefault(heading)
    return list(words)[:OUTLINE_LENGTH]
