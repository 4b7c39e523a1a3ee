"""Statements for articles, for SQLite and PostgreSQL alike but for their full text.

Both index the same words, which are cut and folded here: lower case, without accents, and scripts without spaces as
pairs of neighbouring characters. So both find the same, and nothing of a query is ever read as an engine's syntax.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sql
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import TypeDecorator

from mcp_server.toolsets.articles.models import Article, State

EPOCH, MILLISECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)
INDEXED = 80_000
"""Characters of an article that can be found: PostgreSQL has room for 1 MiB of different words."""
MOST_QUERY, MOST_TERMS, LONGEST_WORD = 1_000, 24, 64
WEIGHTS = (10.0, 4.0, 1.0)
"""Of title, tags and category, content in SQLite's BM25; PostgreSQL's A, B and C stand in the migration."""

_MARKS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)


class Milliseconds(TypeDecorator[datetime]):
    """A point in time, as milliseconds since 1970: the same on both databases, and it compares."""

    impl = sql.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: sql.Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // MILLISECOND

    def process_result_value(self, value: Any, _dialect: sql.Dialect) -> datetime | None:
        return None if value is None else EPOCH + value * MILLISECOND


class Lines(TypeDecorator[tuple[str, ...]]):
    """Short texts, one a line."""

    impl = sql.Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, _dialect: sql.Dialect) -> str:
        return "\n".join(value or ())

    def process_result_value(self, value: Any, _dialect: sql.Dialect) -> tuple[str, ...]:
        return tuple(value.split("\n")) if value else ()


articles = sql.Table(
    "articles",
    sql.MetaData(),
    *(sql.Column(name, sql.BigInteger) for name in ("id", "revision")),
    *(sql.Column(name, sql.Text) for name in ("slug", "title", "content", "author", "category")),
    *(sql.Column(name, Milliseconds) for name in ("published_at", "deleted_at", "created_at", "updated_at")),
    sql.Column("tags", Lines),
    # What the full text is made of: SQLite's FTS5 table `articles_fts` by triggers, PostgreSQL's column `search`.
    *(sql.Column(name, sql.Text) for name in ("search_title", "search_labels", "search_content")),
)
counter = sql.table("article_revision", sql.column("revision", sql.BigInteger))
_c = articles.c
_fts: sql.ColumnElement[Any] = sql.literal_column("articles_fts")
_vector: sql.ColumnElement[Any] = sql.literal_column("search")
ROW = [_c[field.name] for field in fields(Article)]
STATES: Mapping[State, sql.ColumnElement[bool]] = {
    "published": _c.published_at.is_not(None) & _c.deleted_at.is_(None),
    "draft": _c.published_at.is_(None) & _c.deleted_at.is_(None),
    "deleted": _c.deleted_at.is_not(None),
}


async def next_revision(connection: AsyncConnection) -> int:
    """The number of a change. Whoever has it is the only writer until its transaction ends, so that revisions become
    visible in their order.
    """
    changed = sql.update(counter).values(revision=counter.c.revision + 1).returning(counter.c.revision)
    revision: int = (await connection.execute(changed)).scalar_one()
    return revision


async def put(connection: AsyncConnection, article_id: int | None, values: Mapping[str, Any]) -> Article:
    """Insert the article, or change the one with this id."""
    labels = (*values["tags"], values["category"] or "")
    texts = {"title": values["title"], "labels": " ".join(labels), "content": values["content"]}
    found = {f"search_{name}": " ".join(words(text[:INDEXED])) for name, text in texts.items()}
    change = sql.insert(articles) if article_id is None else sql.update(articles).where(_c.id == article_id)
    return _article((await connection.execute(change.values(**values, **found).returning(*ROW))).one())


async def changes(connection: AsyncConnection, since: int | None) -> tuple[int, list[str]]:
    """The last revision, and the slugs that have changed since another one, the last change last."""
    if since is None:
        return await connection.scalar(sql.select(counter.c.revision)) or 0, []
    rows = await connection.execute(sql.select(_c.slug, _c.revision).where(_c.revision > since).order_by(_c.revision))
    changed = rows.all()
    return changed[-1].revision if changed else since, [row.slug for row in changed]


async def find(connection: AsyncConnection, slug: str) -> Article | None:
    row = (await connection.execute(sql.select(*ROW).where(_c.slug == slug))).one_or_none()
    return None if row is None else _article(row)


async def page(
    connection: AsyncConnection, state: State | None, limit: int | None, offset: int
) -> tuple[list[Article], int]:
    """A part of them, and how many there are. The newest first; drafts by their last change."""
    chosen = sql.true() if state is None else STATES[state]
    newest = sql.func.coalesce(_c.published_at, _c.updated_at).desc()
    rows = await connection.execute(
        sql.select(*ROW).where(chosen).order_by(newest, _c.id.desc()).limit(limit).offset(offset)
    )
    total = await connection.scalar(sql.select(sql.func.count()).select_from(articles).where(chosen))
    return [_article(row) for row in rows], total or 0


async def published_before(connection: AsyncConnection, last: tuple[datetime, int] | None, limit: int) -> list[Article]:
    """The newest first, from behind the one that was published then and has that id."""
    chosen = sql.select(*ROW).where(STATES["published"])
    if last is not None:
        chosen = chosen.where((_c.published_at < last[0]) | ((_c.published_at == last[0]) & (_c.id < last[1])))
    rows = await connection.execute(chosen.order_by(_c.published_at.desc(), _c.id.desc()).limit(limit))
    return [_article(row) for row in rows]


async def search(
    connection: AsyncConnection, query: str, category: str | None, *, by_date: bool, limit: int
) -> list[Article]:
    """Published articles that have all words of `query`; where there is none, those that have any."""
    is_sqlite = connection.dialect.name == "sqlite"
    chosen = sql.select(*ROW).where(STATES["published"])
    if category is not None:
        chosen = chosen.where(sql.func.lower(_c.category) == sql.func.lower(category))
    for expression in _expressions(query[:MOST_QUERY], is_sqlite=is_sqlite):
        if is_sqlite:
            index = sql.table("articles_fts", sql.column("rowid"))
            found = chosen.join(index, index.c.rowid == _c.id).where(_fts.op("MATCH")(expression))
            best: sql.ColumnElement[Any] = sql.func.bm25(_fts, *WEIGHTS)
        else:
            wanted = sql.func.to_tsquery("simple", expression)
            found = chosen.where(_vector.op("@@")(wanted))
            best = sql.func.ts_rank(_vector, wanted, 1).desc()
        order = () if by_date else (best,)
        rows = await connection.execute(found.order_by(*order, _c.published_at.desc(), _c.id.desc()).limit(limit))
        if hits := [_article(row) for row in rows]:
            return hits
    return []


def words(text: str) -> list[str]:
    """What the index holds of `text`."""
    return [gram for word in _split(text) for gram in (_grams(word) if _UNSPACED.match(word) else (word,))]


def _expressions(query: str, *, is_sqlite: bool) -> Iterator[str]:
    """The query in the engine's syntax, whose signs no word has: all words; then any of them, also as a beginning.

    The last character of an unspaced word stands in the index alone only at the end of a text's, so it is left out.
    """
    terms = [(_grams(word)[:-1] or [word]) if _UNSPACED.match(word) else [word] for word in _split(query)][:MOST_TERMS]
    singles = list(dict.fromkeys(gram for term in terms for gram in term))[:MOST_TERMS]
    if is_sqlite:
        both, either, quote, follows, begins = " AND ", " OR ", '"', " + ", "*"
    else:
        both, either, quote, follows, begins = " & ", " | ", "'", " <-> ", ":*"

    def written(term: Sequence[str]) -> str:
        is_beginning = len(term) == 1 == len(term[0]) and _UNSPACED.match(term[0])
        return f"({follows.join(f'{quote}{gram}{quote}' for gram in term)}{begins if is_beginning else ''})"

    if terms:
        yield both.join(map(written, terms))
        yield either.join(f"{quote}{single}{quote}{begins}" for single in singles)


def _split(text: str) -> Iterable[str]:
    folded = _MARKS.sub("", unicodedata.normalize("NFD", text.casefold()))
    spaced = _UNSPACED.sub(r" \g<0> ", unicodedata.normalize("NFC", folded))
    return (word if _UNSPACED.match(word) else word[:LONGEST_WORD] for word in _WORD.findall(spaced))


def _grams(word: str) -> list[str]:
    return [word[start : start + 2] for start in range(len(word))]


def _article(row: sql.Row[Any]) -> Article:
    return Article(**row._mapping)  # noqa: SLF001  the documented name of it
