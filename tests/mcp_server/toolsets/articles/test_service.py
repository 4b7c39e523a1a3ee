"""What is stored and found, alike on both databases."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from mcp_server.errors import NotFound, ServiceUnavailable
from mcp_server.toolsets.articles._store import INDEXED, LONGEST_WORD, words
from mcp_server.toolsets.articles.models import MOST_CONTENT, ArticleNotFound, SlugTaken, slug_of
from mcp_server.toolsets.articles.service import Articles, ArticleSource
from tests.mcp_server.toolsets.articles.articles import NOW, given

pytestmark = pytest.mark.both_databases


@pytest.fixture
def articles(engine: AsyncEngine) -> Articles:
    return Articles(engine, clock=lambda: NOW)


async def found(articles: Articles, query: str, category: str | None = None) -> list[str]:
    return [one.slug for one in await articles.search(query, category)]


async def revisions(engine: AsyncEngine, since: int = 0) -> dict[str, int]:
    async with engine.connect() as connection:
        rows = await connection.execute(
            text("select slug, revision from articles where revision > :since"), {"since": since}
        )
        return {row.slug: row.revision for row in rows}


WRITTEN: list[dict[str, Any]] = [
    {"title": "Café crème", "content": "Über die Zubereitung von Espresso; naïve Fragen."},
    {"title": "容器入门", "content": "本指南介绍如何安装容器以及镜像的基础知识。", "category": "运维"},
    {"title": "データベース", "content": "ガイドはパスワードの設定を説明します。"},
    {"title": "도커 시작하기", "content": "컨테이너를 설치하는 방법을 배웁니다."},
    {"title": "Plain", "content": "It is called snake_case.py: http://example.com/pricing?x=1", "tags": ["C++ & more"]},
]


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("cafe", "cafe-creme"),
        ("CRÈME", "cafe-creme"),
        ("uber zubereitung", "cafe-creme"),
        ("naive", "cafe-creme"),
        ("安装容器", "rongqi"),
        ("镜", "rongqi"),
        ("运维", "rongqi"),
        ("如何安装镜像", "rongqi"),  # not in one piece: any of it
        ("パスワード", "database"),
        ("ガイド", "database"),
        ("컨테이너", "docker-ko"),
        ("snake_case", "plain"),
        ("example.com/pricing", "plain"),
        ("more", "plain"),
        ("espress", "cafe-creme"),  # a beginning, where no article has the word
        ("espresso zzz", "cafe-creme"),
    ],
)
async def test_words_are_found_without_their_accents_and_in_scripts_without_spaces(
    articles: Articles, query: str, slug: str
) -> None:
    slugs = ("cafe-creme", "rongqi", "database", "docker-ko", "plain")
    for name, fields in zip(slugs, WRITTEN, strict=True):
        await articles.create(given(**fields, slug=name))

    assert await found(articles, query) == [slug]


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", "!!!", '"', "'", "a' | 'b", 'title:"x" OR *', "NEAR(a b)", "^a*", "a & ! b:*", "-a", "(", "a <-> b",
        "search_title : plain", "\\", "%", "_", "\x00", "\ud800", "'; DROP TABLE articles; --", "a" * 1_000_000,
        "字" * 100_000, "{a} + b", "😀",
    ],
)  # fmt: skip
async def test_no_query_is_read_as_the_syntax_of_an_engine(articles: Articles, query: str) -> None:
    await articles.create(given(title="Plain"))

    assert await found(articles, query) in ([], ["plain"])


@pytest.mark.requirement("seed:kb:search-category", "seed:kb:search-most", "seed:kb:search-published")
async def test_ten_at_most_of_the_category_and_of_what_is_published(articles: Articles) -> None:
    for number in range(12):
        await articles.create(given(title=f"Docker {number}", category="DevOps" if number < 11 else "Other"))
    await articles.create(given(title="Docker draft", published_at=None))

    assert len(await found(articles, "docker")) == 10
    assert await found(articles, "docker", "other") == ["docker-11"]
    assert await found(articles, "docker", "none") == []
    assert "docker-draft" not in await found(articles, "draft")


async def test_title_comes_before_tags_and_tags_before_content(articles: Articles) -> None:
    filler = "Many other words that say nothing about it. "
    await articles.create(given(title="In the text", content=f"{filler} kubernetes"))
    await articles.create(given(title="In the tags", content=filler, tags=["kubernetes"]))
    await articles.create(given(title="Kubernetes", content=filler))

    assert await found(articles, "kubernetes") == ["kubernetes", "in-the-tags", "in-the-text"]


async def test_what_was_changed_is_found_by_its_new_words_alone(articles: Articles, engine: AsyncEngine) -> None:
    await articles.create(given(title="Before", slug="one"))

    for _ in range(3):
        await articles.change("one", lambda _one: given(title="After", slug="one", tags=["label"]))

    assert (await found(articles, "before"), await found(articles, "after label")) == ([], ["one"])
    if engine.dialect.name == "sqlite":  # raises where the index and the table differ
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO articles_fts(articles_fts, rank) VALUES ('integrity-check', 1)"))


async def test_the_revision_grows_with_every_change_and_with_nothing_else(
    articles: Articles, engine: AsyncEngine
) -> None:
    first = await articles.create(given(title="First"))
    second = await articles.create(given(title="Second"))
    hidden = await articles.mark("first", "delete")
    again = await articles.mark("first", "delete")

    assert first.revision < second.revision < hidden.revision == again.revision
    assert await revisions(engine, second.revision) == {"first": hidden.revision}


async def test_writers_at_once_get_one_revision_and_one_slug_each(articles: Articles, engine: AsyncEngine) -> None:
    made = await asyncio.gather(*(articles.create(given(title="The same")) for _ in range(8)))

    assert sorted(one.slug for one in made) == sorted(["the-same", *(f"the-same-{n}" for n in range(2, 9))])
    assert len(set((await revisions(engine)).values())) == 8


async def test_a_slug_is_taken_also_by_what_is_deleted(articles: Articles) -> None:
    await articles.create(given(title="First", slug="one"))
    await articles.create(given(title="Other", slug="two"))
    await articles.mark("one", "delete")

    with pytest.raises(SlugTaken):
        await articles.create(given(title="Again", slug="one"))
    with pytest.raises(SlugTaken):
        await articles.change("two", lambda _two: given(title="Other", slug="one"))
    with pytest.raises(ArticleNotFound):
        await articles.mark("none", "publish")


async def test_publishing_and_deleting_can_be_undone_without_a_loss(articles: Articles) -> None:
    article = await articles.create(given(title="First", slug="one"))

    deleted = await articles.mark("one", "delete")
    restored = await articles.mark("one", "restore")
    draft = await articles.mark("one", "unpublish")
    published = await articles.mark("one", "publish")

    assert [one.state for one in (article, deleted, restored, draft, published)] == [
        "published", "deleted", "published", "draft", "published",
    ]  # fmt: skip
    assert (restored.published_at, published.published_at) == (article.published_at, NOW)


async def test_the_largest_article_is_stored_and_its_beginning_found(articles: Articles) -> None:
    numbers = " ".join(f"w{number:x}" for number in range(40_000))[: MOST_CONTENT - 10]
    ideographs = "".join(chr(0x20000 + number * 7 % 40_000) for number in range(INDEXED + 1_000))

    await articles.create(given(title="Numbers", content=numbers))
    await articles.create(given(title="Ideographs", content=ideographs))

    assert await found(articles, "w123") == ["numbers"]
    assert await found(articles, ideographs[500:503]) == ["ideographs"]


async def test_it_is_a_source_that_others_search(articles: Articles) -> None:
    source = ArticleSource(articles, "https://gateway.test/api/v1/articles/{slug}")
    await articles.create(given(title="First", author="Ada", tags=["a", "b"]))
    await articles.create(given(title="Hidden", published_at=None))

    [hit] = await source.search("first", 5)
    document = await source.fetch(hit.id)

    assert (hit.id, hit.title, hit.url) == ("first", "First", "https://gateway.test/api/v1/articles/first")
    assert (document.title, document.url) == ("First", hit.url)
    assert document.text.startswith("# First\n\n")
    assert document.metadata == {"author": "Ada", "tags": "a, b"}
    for slug in ("hidden", "none"):
        with pytest.raises(NotFound):
            await source.fetch(slug)


async def test_a_database_that_fails_is_told_as_unavailable(articles: Articles, engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE articles RENAME TO elsewhere"))

    if engine.dialect.name == "sqlite":  # there a missing table is an operational error
        with pytest.raises(ServiceUnavailable):
            await articles.find("one")


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "ab"}, {"title": "a" * 256}, {"title": "two\nlines"}, {"content": "123456789"}, {"content": " " * 20},
        {"content": "a" * (MOST_CONTENT + 1)}, {"content": "nul \x00 and more"}, {"slug": "Upper"}, {"slug": "a b"},
        {"slug": ""}, {"slug": "a\n"}, {"slug": "../x"}, {"tags": ["a\nb"]}, {"tags": ["x"] * 51}, {"colour": "red"},
        {"published": True, "published_at": None}, {"published": False}, {"published_at": NOW + timedelta(days=1)},
        {"published_at": "0001-01-01T00:00:00+14:00"}, {"published_at": "yesterday"},
    ],
    ids=repr,
)  # fmt: skip
def test_the_rules_of_an_article_are_kept(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        given(**{"title": "Right", **wrong})


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Getting Started!", "getting-started"),
        ("Übergröße & Ærøskøbing", "ubergrosse-aeroskobing"),
        ("Привет, мир: щука и ёж", "privet-mir-shchuka-i-ezh"),
        ("Αθήνα", "athina"),
        ("容器入门", slug_of("容器入门")),
    ],
)
def test_a_slug_is_made_of_the_title(title: str, slug: str) -> None:
    assert slug_of(title) == slug


@examples(strategies.text(min_size=1, max_size=300))
def test_any_title_has_a_slug_and_any_text_has_plain_words(text: str) -> None:
    assert set(slug_of(text)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug_of(text)
    assert all(word.isalnum() and len(word) <= LONGEST_WORD for word in words(text))
