"""A document on the web that is held back until a test lets it go, and what a training leaves of it in the database."""

from asyncio import Event, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, func, select, text

from app.internal_api.store.knowledge import chunks, items
from app.internal_api.store.minds import minds
from tests.journeys.handbook import PAGES, handbook
from tests.journeys.host import Host, opened
from tests.loopback import Loopback, reply
from tests.loopback import serving as serving_documents

PATH = "/handbook.pdf"


@dataclass
class Library:
    """`asked` is set when somebody wants the document; they get it when `released` is."""

    server: Loopback
    asked: Event = field(default_factory=Event)
    released: Event = field(default_factory=Event)

    @property
    def link(self) -> str:
        return f"{self.server.origin}{PATH}"


@asynccontextmanager
async def open_library() -> AsyncIterator[Library]:
    async def lend(writer: StreamWriter) -> None:
        library.asked.set()
        await library.released.wait()
        writer.write(reply("200 OK", handbook(), Content_Type="application/pdf"))
        await writer.drain()

    async with serving_documents({PATH: lend}) as server:
        library = Library(server)
        yield library


async def assert_everything_is_there_once(host: Host, spark_id: str) -> None:
    """One persona with one source, and each passage of it once."""
    async with opened(host) as engine, engine.connect() as connection:

        async def count(query: Select[Any]) -> int:
            return int((await connection.execute(select(func.count()).select_from(query.subquery()))).scalar_one())

        assert (await connection.execute(select(minds.c.id))).scalars().all() == [spark_id]
        assert await count(select(items.c.id)) == 1
        stored = await count(select(chunks.c.id))
        assert stored >= len(PAGES)
        assert await count(select(chunks.c.item_id, chunks.c.position).distinct()) == stored
        assert await count(select(chunks.c.text).distinct()) == stored
        if engine.dialect.name == "sqlite":
            # In the full-text index, too: each passage has that word.
            found = await connection.execute(text("SELECT count(*) FROM knowledge_fts WHERE knowledge_fts MATCH 'the'"))
            assert found.scalar_one() == stored
