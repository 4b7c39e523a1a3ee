"""Articles by what they say."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import TRIMMED
from mcp_server.toolsets.articles.models import ArticleHits
from mcp_server.toolsets.articles.tools import KnowledgeBase, reading


async def search_articles(
    articles: KnowledgeBase,
    *,
    query: Annotated[str, Field(description="Search query")],
    category: Annotated[str | None, TRIMMED, Field(description="Filter by category (optional)")] = None,
) -> ArticleHits:
    """Search for articles in the knowledge base.

    Use it when the user asks about a topic. It finds up to ten published articles by the words of their title, tags,
    category and content, and shows how each begins. Next: get_article with the slug in parentheses.
    """
    found = await articles.search(query, category or None)
    return ArticleHits.model_validate({"articles": found}, from_attributes=True)


TOOL = reading(
    search_articles, "Search the knowledge base", "Searching the knowledge base", "Searched the knowledge base"
)
