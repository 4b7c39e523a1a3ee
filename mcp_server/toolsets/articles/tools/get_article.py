"""One article, whole."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolsets.articles.models import ArticleText
from mcp_server.toolsets.articles.tools import KnowledgeBase, reading


async def get_article(
    articles: KnowledgeBase, *, slug: Annotated[str, Field(description="Article slug")]
) -> ArticleText:
    """Get a specific article by slug.

    Use it to read the whole of one article: its content, author, category, tags and date. Slugs are in the results of
    search_articles and, after kb://article/, in the resources.
    """
    return ArticleText.model_validate(await articles.published(slug), from_attributes=True)


TOOL = reading(get_article, "Read an article", "Reading the article", "Read the article")
