"""Find the passages of a mind's knowledge that speak of a question, in SQLite or PostgreSQL."""

from collections.abc import Sequence

from sqlalchemy import RowMapping, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.ranking import rank
from app.internal_api.knowledge.terms import Query, parse_query
from app.internal_api.store.knowledge import chunks, items

CANDIDATES = 100  # what the database's own rank lets through to ours
SQLITE_FOUND = text(
    "SELECT rowid FROM knowledge_fts WHERE knowledge_fts MATCH :wanted"
    " ORDER BY bm25(knowledge_fts, 1.0, 1.0, 0.0) LIMIT :most"
)
POSTGRES_FOUND = text(
    "SELECT seq FROM knowledge_chunks, websearch_to_tsquery('english', :wanted) AS question"
    " WHERE mind_id = :mind_id AND search @@ question"
    " ORDER BY ts_rank_cd(search, question) DESC, seq LIMIT :most"
)


class KnowledgeIndex:
    """Full-text search over the chunks of one mind at a time."""

    def __init__(self, engine: AsyncEngine) -> None:
        # A reader must not take SQLite's write lock.
        self._engine = engine.execution_options(read_only=True)

    async def search(self, mind_id: str, query: str, *, limit: int = 6) -> list[Passage]:
        """The best passages first; none when the query has no content word. The query is never syntax."""
        wanted = parse_query(query)
        if limit < 1 or not (wanted.words or wanted.grams):
            return []
        async with self._engine.connect() as connection:
            rows = await _candidates(connection, mind_id, wanted)
        ranked = rank(wanted, [f"{row['heading'] or ''} {row['text']}" for row in rows])
        return [Passage(**rows[found.index], similarity=round(found.similarity, 4)) for found in ranked[:limit]]


async def _candidates(connection: AsyncConnection, mind_id: str, wanted: Query) -> Sequence[RowMapping]:
    found: set[int] = set()
    if wanted.words:
        found |= await _found_by_words(connection, mind_id, wanted.words)
    if wanted.grams:
        found |= await _found_by_grams(connection, mind_id, wanted.grams)
    named = (chunks.c.id.label("chunk_id"), chunks.c.item_id, chunks.c.text, chunks.c.heading, chunks.c.page)
    passages = select(*named, items.c.title, items.c.link).join(items, items.c.id == chunks.c.item_id)
    of_found = passages.where(chunks.c.seq.in_(found)).order_by(items.c.position, chunks.c.position)
    rows: Sequence[RowMapping] = (await connection.execute(of_found)).mappings().all()
    return rows


async def _found_by_words(connection: AsyncConnection, mind_id: str, words: Sequence[str]) -> set[int]:
    # Words hold letters and digits only; the quotes keep `and`, `near` and `not` words as well.
    if connection.dialect.name == "sqlite":
        any_word = " OR ".join(f'"{word}"' for word in words)
        owner = mind_id.replace('"', "")
        wanted = f'mind_id : "{owner}" AND {{text heading}} : ({any_word})'
        rows = await connection.execute(SQLITE_FOUND, {"wanted": wanted, "most": CANDIDATES})
    else:
        wanted = " or ".join(f'"{word}"' for word in words)
        bound = {"wanted": wanted, "mind_id": mind_id, "most": CANDIDATES}
        rows = await connection.execute(POSTGRES_FOUND, bound)
    return set(rows.scalars())


async def _found_by_grams(connection: AsyncConnection, mind_id: str, grams: Sequence[str]) -> set[int]:
    """Neither database cuts these scripts into words, so the mind's own chunks are read through."""
    anywhere = or_(
        *(column.contains(gram, autoescape=True) for gram in grams for column in (chunks.c.text, chunks.c.heading))
    )
    of_mind = select(chunks.c.seq).where(chunks.c.mind_id == mind_id, anywhere)
    return set((await connection.execute(of_mind.order_by(chunks.c.seq).limit(CANDIDATES))).scalars())
