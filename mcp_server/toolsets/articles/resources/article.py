"""Each published article as a resource."""

from typing import Annotated

import mcp_types as types

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolsets.articles.models import DESCRIPTION, InvalidUri
from mcp_server.toolsets.articles.service import Articles


async def article(articles: Annotated[Articles, PROVIDED], *, slug: str) -> str:
    """One article of the knowledge base: title, content, author, category, tags and date of publication."""
    return (await articles.published(slug)).text


async def list_articles(
    articles: Annotated[Articles, PROVIDED], *, cursor: str | None = None
) -> types.ListResourcesResult:
    """The published articles, newest first."""
    found, following = await articles.listing(cursor)
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=one.uri, name=one.title, description=one.content[:DESCRIPTION], mime_type=RESOURCE.mime_type
            )
            for one in found
        ],
        next_cursor=following,
    )


RESOURCE = Resource(
    run=article,
    title="Article",
    uri="kb://article/{slug}",
    public=True,
    timeout=10.0,
    listing=list_articles,
    invalid_uri=InvalidUri,
)
