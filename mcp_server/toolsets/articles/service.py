"""What can be done with articles: read and found by everybody, changed by those who may."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from mcp_server.errors import InvalidArguments, NotFound, ServiceUnavailable
from mcp_server.toolkit.sources import Document, Found
from mcp_server.toolsets.articles import _store as store
from mcp_server.toolsets.articles.models import (
    Article,
    ArticleFields,
    ArticleNotFound,
    SlugTaken,
    State,
    StoredArticle,
    moment,
    slug_of,
)

PAGE = 50
"""Articles on a page of `resources/list`."""
MOST_FOUND = 10
CURSOR = re.compile(r"(-?[0-9]{1,13})\.([0-9]{1,15})")
"""When the last article of a page was published, in milliseconds since 1970, and its id."""

Action = Literal["publish", "unpublish", "delete", "restore"]


def utc_now() -> datetime:
    """To the millisecond, as it is stored."""
    return moment(datetime.now(UTC))


class Articles:
    """The articles in `engine`, a database with the newest schema. Searches order by date or by relevance."""

    def __init__(self, engine: AsyncEngine, *, by_date: bool = False, clock: Callable[[], datetime] = utc_now) -> None:
        self._engine, self._reader = engine, engine.execution_options(read_only=True)
        self._by_date, self._clock = by_date, clock

    async def published(self, slug: str) -> Article:
        """Raises ArticleNotFound: there is none that is published."""
        article = await self.find(slug)
        if article is None or article.state != "published":
            raise ArticleNotFound(slug)
        return article

    async def find(self, slug: str) -> Article | None:
        """In whichever state."""
        async with self._reading() as connection:
            return await store.find(connection, slug)

    async def listing(self, cursor: str | None) -> tuple[Sequence[Article], str | None]:
        """A page of the published ones, newest first, and the cursor of the next.

        Raises `InvalidArguments`: it is no cursor of ours.
        """
        last = None
        if cursor:
            if not (parts := CURSOR.fullmatch(cursor)):
                raise InvalidArguments("this is not a cursor of this list; begin without one")
            last = store.EPOCH + int(parts[1]) * store.MILLISECOND, int(parts[2])
        async with self._reading() as connection:
            found = await store.published_before(connection, last, PAGE + 1)
        end = found[PAGE - 1] if len(found) > PAGE else None
        if end is None or end.published_at is None:
            return found, None
        return found[:PAGE], f"{(end.published_at - store.EPOCH) // store.MILLISECOND}.{end.id}"

    async def changes(self, since: int | None) -> tuple[int, list[str]]:
        """The last revision, and the slugs that have changed since another one."""
        async with self._reading() as connection:
            return await store.changes(connection, since)

    async def page(self, state: State | None, limit: int | None, offset: int) -> tuple[list[Article], int]:
        """Articles in `state`, or all; and how many there are."""
        async with self._reading() as connection:
            return await store.page(connection, state, limit, offset)

    async def search(self, query: str, category: str | None = None, limit: int = MOST_FOUND) -> list[Article]:
        async with self._reading() as connection:
            return await store.search(connection, query, category, by_date=self._by_date, limit=limit)

    async def create(self, given: ArticleFields) -> Article:
        """Raises SlugTaken; without a slug it gets a free one from its title."""
        now, base = self._clock(), given.slug or slug_of(given.title)
        async with self._writing() as (connection, revision):
            slug, number = base, 1
            while await store.find(connection, slug) is not None:
                if given.slug is not None:
                    raise SlugTaken(slug)
                number += 1
                slug = f"{base}-{number}"
            values = {**given.model_dump(), "slug": slug, "created_at": now, "updated_at": now, "revision": revision}
            return await store.put(connection, None, values)

    async def change(self, slug: str, changes: Callable[[Article], ArticleFields]) -> Article:
        """What `changes` makes of the article. Raises ArticleNotFound, SlugTaken."""
        async with self._writing() as (connection, revision):
            article = await _present(connection, slug)
            given = changes(article).model_dump()
            given["slug"] = given["slug"] or slug
            if given["slug"] != slug and await store.find(connection, given["slug"]) is not None:
                raise SlugTaken(given["slug"])
            return await self._changed(connection, article, given, revision)

    async def mark(self, slug: str, action: Action) -> Article:
        """Publish, unpublish, delete or restore; what is so already stays as it is. Raises ArticleNotFound."""
        now = self._clock()
        async with self._writing() as (connection, revision):
            article = await _present(connection, slug)
            given: Mapping[Action, Mapping[str, Any]] = {
                "publish": {"published_at": article.published_at or now},
                "unpublish": {"published_at": None},
                "delete": {"deleted_at": article.deleted_at or now},
                "restore": {"deleted_at": None},
            }
            return await self._changed(connection, article, given[action], revision)

    async def put_all(self, files: Sequence[StoredArticle], told: Callable[[], None]) -> dict[str, int]:
        """Create or change the articles with these slugs, in one transaction; how many were made, changed and left.

        `told` is called after each.
        """
        now, counts = self._clock(), {"created": 0, "changed": 0, "unchanged": 0}
        async with self._writing() as (connection, revision):
            for file in files:
                given = file.model_dump()
                slug = given["slug"] = file.slug or slug_of(file.title)
                kept = {name: given.pop(name) for name in ("created_at", "updated_at") if given[name] is None}
                article = await store.find(connection, slug)
                if article is None:
                    await store.put(connection, None, {**dict.fromkeys(kept, now), **given, "revision": revision})
                    counts["created"] += 1
                else:
                    after = await self._changed(connection, article, given, revision)
                    counts["unchanged" if after == article else "changed"] += 1
                told()
        return counts

    def _reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return _answering(self._reader.connect())

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[tuple[AsyncConnection, int]]:
        """A transaction, and the revision that its changes have."""
        async with _answering(self._engine.begin()) as connection:
            yield connection, await store.next_revision(connection)

    async def _changed(
        self, connection: AsyncConnection, article: Article, given: Mapping[str, Any], revision: int
    ) -> Article:
        """The article with what is given; one that is so already is left alone, and so is its revision."""
        if replace(article, **given) == article:
            return article
        values = {field.name: getattr(article, field.name) for field in fields(Article) if field.name != "id"}
        times = {"updated_at": self._clock(), "revision": revision}
        return await store.put(connection, article.id, {**values, **times, **given})


@asynccontextmanager
async def _answering(connecting: AbstractAsyncContextManager[AsyncConnection]) -> AsyncIterator[AsyncConnection]:
    """Raises ServiceUnavailable: the database gives no answer."""
    try:
        async with connecting as connection:
            yield connection
    except (OperationalError, InterfaceError, PoolTimeout):
        raise ServiceUnavailable("The database does not answer; try again in a moment") from None


async def _present(connection: AsyncConnection, slug: str) -> Article:
    article = await store.find(connection, slug)
    if article is None:
        raise ArticleNotFound(slug)
    return article


class ArticleSource:
    """The published articles, for a search over all sources; `address` is that of one, with `{slug}` in it."""

    def __init__(self, articles: Articles, address: str) -> None:
        self._articles, self._address = articles, address

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        """The best hits first, at most `limit`."""
        found = await self._articles.search(query, limit=limit)
        return [Found(one.slug, one.title, self._address.format(slug=one.slug), one.snippet) for one in found]

    async def fetch(self, id: str) -> Document:
        """Raises `NotFound`: no published article has that slug."""
        try:
            article = await self._articles.published(id)
        except ArticleNotFound:
            raise NotFound("article", id[:255]) from None
        about = {"author": article.author, "category": article.category, "tags": ", ".join(article.tags)}
        metadata = {name: value for name, value in about.items() if value}
        return Document(article.title, article.text, self._address.format(slug=article.slug), metadata)
