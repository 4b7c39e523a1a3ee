"""Chunks as rows; the full-text index follows by triggers or by a generated column."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID, uuid5

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.knowledge import Item
from app.internal_api.tables import knowledge_chunks as chunks
from app.internal_api.tables import knowledge_items as items

OUTLINE_LENGTH = 60


class Piece(Protocol):
    """A piece of an item's text."""

    @property
    def position(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def heading(self) -> str | None: ...
    @property
    def page(self) -> int | None: ...


async def replace_chunks(connection: AsyncConnection, item: Item, found: Sequence[Piece]) -> None:
    """Index an item anew. Ids depend on item and position only, so doing it twice changes nothing."""
    # Two jobs of one mind never run at once, but a worker that lost its lease may still be on its way.
    await connection.execute(select(items.c.id).where(items.c.id == item.id).with_for_update())
    await connection.execute(delete(chunks).where(chunks.c.item_id == item.id))
    rows = [
        {
            "id": str(uuid5(UUID(item.id), str(chunk.position))),
            "item_id": item.id,
            "mind_id": item.mind_id,
            "position": chunk.position,
            "text": chunk.text,
            "heading": chunk.heading,
            "page": chunk.page,
        }
        for chunk in found
    ]
    if rows:
        await connection.execute(insert(chunks), rows)


async def count_mind_chunks(connection: AsyncConnection, mind_id: str) -> int:
    of_mind = select(func.count()).select_from(chunks).where(chunks.c.mind_id == mind_id)
    return (await connection.execute(of_mind)).scalar_one()


async def count_item_chunks(connection: AsyncConnection, item_id: str) -> int:
    of_item = select(func.count()).select_from(chunks).where(chunks.c.item_id == item_id)
    return (await connection.execute(of_item)).scalar_one()


async def outline(connection: AsyncConnection, mind_id: str) -> list[str]:
    """What the knowledge is about: titles, headings and keywords in reading order, each once.

    What the owner said has no title of its own: it is called after the mind, which is no subject.
    """
    ordered = (
        select(items.c.source_type, items.c.title, items.c.description, chunks.c.heading)
        .join(chunks, chunks.c.item_id == items.c.id)
        .where(items.c.mind_id == mind_id)
        .order_by(items.c.position, chunks.c.position)
    )
    words: dict[str, None] = {}
    for kind, title, description, heading in await connection.execute(ordered):
        words |= dict.fromkeys(_subjects(kind, title, description))
        if heading:
            words.setdefault(heading)
    return list(words)[:OUTLINE_LENGTH]


def _subjects(kind: str, title: str, description: str) -> list[str]:
    if kind not in {"keywords", "persona"}:
        return [title]
    return description.split(", ") if kind == "keywords" and description != title else []
