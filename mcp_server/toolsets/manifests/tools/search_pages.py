"""Search by title and path."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import OPTIONAL, PLAIN_TEXT
from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ERROR_CODES, HitRows
from mcp_server.toolsets.manifests.tools import READS, DocsName, Sites

Query = Annotated[
    str,
    Field(min_length=1, max_length=500, description="Words of a title or a path, such as `payment intent`."),
    PLAIN_TEXT,
]
Limit = Annotated[int, Field(ge=1, le=100, description="How many results at most.")]


async def search_pages(
    sites: Sites, *, query: Query, limit: Limit = 10, docs: Annotated[DocsName | None, OPTIONAL] = None
) -> HitRows:
    """Search pages of documentation sites by URL path, title and section; typing mistakes still find.

    Use it when you know what you look for. Leave docs out to search every manifest in one shot; results are interleaved
    by score. It does not look into the text of pages: next, get_page with the url.
    """
    return await sites.search_pages(query, limit, docs)


TOOL = Tool(
    run=search_pages,
    title="Search the pages of documentation sites",
    annotations=READS,
    public=True,
    error_codes=ERROR_CODES,
    invoking="Searching the manifests",
    invoked="Searched the manifests",
)
