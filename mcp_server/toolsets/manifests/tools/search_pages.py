"""Pages by address, title and section."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolsets.manifests.models import Listing, ScoredPage
from mcp_server.toolsets.manifests.tools import Docs, Manifests, tool

Query = Annotated[str, Field(min_length=1, max_length=500, description="Words of titles or addresses."), PLAIN_TEXT]
Limit = Annotated[int, Field(ge=1, le=100, description="How many pages at most.")]


async def search_pages(
    manifests: Manifests, *, query: Query, limit: Limit = 10, docs: Docs = None
) -> Listing[ScoredPage]:
    """Search the URL paths, titles and section names of documentation pages, the best first; typos are forgiven.

    Use it when you know what you look for. Leave out docs to search every site in one shot. It does not look into the
    pages: use few, telling words. Next: get_page with a url.
    """
    return await manifests.find(query, limit, docs)


TOOL = tool(search_pages, "Search documentation pages", "Searching the pages", "Searched the pages")
