"""Articles of a knowledge base: as resources, found by full text, and whole."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from mcp_server.runtime import Runtime
from mcp_server.settings import ToolsetSettings
from mcp_server.toolkit.changes import Changed

if TYPE_CHECKING:
    from mcp_server.toolsets.articles.service import Articles

NEEDS = {"database"}
INSTRUCTIONS = (
    "The knowledge base has articles: discover them with resources/list, find some on a topic with search_articles, "
    "and read the whole of one with get_article or as the resource kb://article/{slug}."
)


class ArticlesSettings(ToolsetSettings):
    """What the toolset reads from the environment."""

    articles_order: Literal["relevance", "date"] = Field(
        "relevance", description="The order in which `search_articles` shows what it found; `date`: the newest first."
    )


SETTINGS = ArticlesSettings


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator["Articles"]:
    """The service of this toolset, on the gateway's database; and the source of its name."""
    assert runtime.database is not None  # noqa: S101  NEEDS says so
    service = resolve_name("mcp_server.toolsets.articles.service")  # with SQLAlchemy, which others do not need
    by_date = runtime.settings_of(ArticlesSettings).articles_order == "date"
    articles: Articles = service.Articles(runtime.database, by_date=by_date)
    address = f"{runtime.site_url}/api/v1/articles/{{slug}}" if runtime.site_url else "kb://article/{slug}"
    runtime.sources["articles"] = service.ArticleSource(articles, address)
    yield articles


async def watch(articles: "Articles", since: int | None) -> Changed:
    """What has changed since that revision; any change of an article may change its line in the list."""
    revision, slugs = await articles.changes(since)
    return Changed(revision, frozenset(f"kb://article/{slug}" for slug in slugs), bool(slugs))
