"""Find the passages of a mind's knowledge that speak of a question, in SQLite or PostgreSQL.

Which candidates answer it best is computed here, so that it is the same in both databases, whatever each calls rank.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import RowMapping, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.knowledge.chunk import SENTENCE_END
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.knowledge.terms import Query, grams_of, parse_query, stem, words_of
from app.internal_api.store.knowledge import chunks, items

SATURATION, LENGTH = 1.2, 0.5  # BM25's k1 and b; passages are of nearly one length
# A passage is never more similar than the share of the question's words that it has; BM25 tells passages with
# equal shares apart.
FLOOR = 0.6
SIGNIFICANT = 2  # letters that stemming never changes
CANDIDATES = 100  # what the database's own rank lets through to ours
READ_THROUGH = 200  # the first chunks of a mind, which are compared by their meaning as well
NEAR = 0.14  # nearness from which on a passage may speak of the question in other words
CONSTANT = 60  # of reciprocal rank fusion
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
    """Full-text search over the chunks of one mind at a time; with `embed`, fused with what is near in meaning."""

    def __init__(self, engine: AsyncEngine, embed: Embedder | None = None) -> None:
        self._embed = embed
        # A reader must not take SQLite's write lock.
        self._engine = engine.execution_options(read_only=True)

    async def search(self, mind_id: str, query: str, *, limit: int = 6) -> list[Passage]:
        """The best passages first; none when the query has no content word. The query is never syntax."""
        wanted = parse_query(query)
        if limit < 1 or not (wanted.words or wanted.grams):
            return []
        async with self._engine.connect() as connection:
            rows = await _candidates(connection, mind_id, wanted, 0 if self._embed is None else READ_THROUGH)
        texts = [f"{row['heading'] or ''} {row['text']}" for row in rows]
        ranked = rank(wanted, texts)
        if self._embed is not None:
            ranked = fuse(ranked, await self._embed.run(nearness, self._embed, query, texts))
        return [Passage(**rows[index], similarity=round(similarity, 4)) for index, similarity in ranked[:limit]]


async def _candidates(connection: AsyncConnection, mind_id: str, wanted: Query, most: int) -> Sequence[RowMapping]:
    """Chunks with a word of the question, and the first `most` of the mind whatever they say."""
    of_mind = select(chunks.c.seq).where(chunks.c.mind_id == mind_id).order_by(chunks.c.seq)
    found = set((await connection.execute(of_mind.limit(most))).scalars()) if most else set[int]()
    if wanted.words:
        sqlite = connection.dialect.name == "sqlite"
        # Words hold letters and digits only; the quotes keep `and`, `near` and `not` words as well.
        words = (" OR " if sqlite else " or ").join(f'"{word}"' for word in wanted.words)
        owner = mind_id.replace('"', "")
        match = f'mind_id : "{owner}" AND {{text heading}} : ({words})' if sqlite else words
        bound = {"wanted": match, "most": CANDIDATES, **({} if sqlite else {"mind_id": mind_id})}
        rows = await connection.execute(SQLITE_FOUND if sqlite else POSTGRES_FOUND, bound)
        found |= set(rows.scalars())
    if wanted.grams:
        # Neither database cuts these scripts into words, so the mind's own chunks are read through.
        columns = (chunks.c.text, chunks.c.heading)
        anywhere = or_(*(column.contains(gram, autoescape=True) for gram in wanted.grams for column in columns))
        found |= set((await connection.execute(of_mind.where(anywhere).limit(CANDIDATES))).scalars())
    named = (chunks.c.id.label("chunk_id"), chunks.c.item_id, chunks.c.text, chunks.c.heading, chunks.c.page)
    passages = select(*named, items.c.title, items.c.link).join(items, items.c.id == chunks.c.item_id)
    of_found = passages.where(chunks.c.seq.in_(found)).order_by(items.c.position, chunks.c.position)
    rows_found: Sequence[RowMapping] = (await connection.execute(of_found)).mappings().all()
    return rows_found


def rank(query: Query, candidates: Sequence[str]) -> list[tuple[int, float]]:
    """The best first, with a similarity between 0 and 1; candidates with no word of the question are left out."""
    terms = {stem(word) for word in query.words} | set(query.grams)
    counted = [_count(text, terms) for text in candidates]
    # All passages with a word of the question are candidates, so their number serves for the collection's.
    found_in = Counter(term for counts, _ in counted for term in counts)
    mean = sum(length for _, length in counted) / max(1, len(counted)) or 1.0
    weight = {term: math.log(1 + (len(counted) - n + 0.5) / (n + 0.5)) for term, n in found_in.items()}
    scores = [
        sum(
            weight[term] * count * (SATURATION + 1) / (count + SATURATION * (1 - LENGTH + LENGTH * length / mean))
            for term, count in counts.items()
        )
        for counts, length in counted
    ]
    best = max(scores, default=0.0)
    ranked = [
        (index, len(counts) / len(terms) * (FLOOR + (1 - FLOOR) * scores[index] / best))
        for index, (counts, _) in enumerate(counted)
        if counts
    ]
    return sorted(ranked, key=lambda found: -found[1])  # stable: among equals the order of the documents counts


def nearness(embed: Callable[[Sequence[str]], Any], query: str, texts: Sequence[str]) -> list[float]:
    """How near each text is to the query in meaning: the mean of its nearest sentence and of all its sentences."""
    cut = [[part for part in SENTENCE_END.split(text) if part.strip()] or [text] for text in texts]
    (asked,), rows = embed([query]), embed([part for parts in cut for part in parts])
    found, start = [], 0
    for parts in cut:
        own = rows[start : start + len(parts)]
        start += len(parts)
        whole = own.sum(axis=0)
        length = float(whole @ whole) ** 0.5 or 1.0
        found.append((float((own @ asked).max()) + float(whole @ asked) / length) / 2)
    return found


def fuse(ranked: Sequence[tuple[int, float]], near: Sequence[float]) -> list[tuple[int, float]]:
    """The ranking by words and the one by meaning as one, by reciprocal rank fusion (Cormack et al., SIGIR 2009).

    `near` is the cosine of each candidate. What only means the same is never more similar than what has the words.
    """
    by_meaning = sorted((index for index, cosine in enumerate(near) if cosine >= NEAR), key=lambda index: -near[index])
    by_words, scores = dict(ranked), Counter[int]()
    for ranking in (by_words, by_meaning):
        scores.update({index: 1 / (CONSTANT + place) for place, index in enumerate(ranking)})
    return [(index, by_words.get(index, FLOOR * near[index])) for index, _ in scores.most_common()]


def _count(text: str, terms: set[str]) -> tuple[Counter[str], int]:
    """How often each term of the question occurs, and how long the candidate is."""
    words, grams = words_of(text), grams_of(text)
    starts = {term[:SIGNIFICANT] for term in terms}  # most words need no stemming to be passed over
    stems = [stem(word) for word in words if word[:SIGNIFICANT] in starts]
    return Counter(term for term in (*stems, *grams) if term in terms), len(words) + len(grams)
