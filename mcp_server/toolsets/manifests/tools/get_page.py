"""One page, from the web."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import WEB_LINK
from mcp_server.toolset import READS
from mcp_server.toolsets.manifests.models import PageContent
from mcp_server.toolsets.manifests.tools import Manifests, tool

Url = Annotated[
    str, Field(max_length=2_048, description="A page on a site of list_docs, as search_pages names it."), WEB_LINK
]


async def get_page(manifests: Manifests, *, url: Url) -> PageContent:
    """Fetch a documentation page and return it as clean Markdown, from the page cache where it is new enough.

    Use it with a url of search_pages or get_section_pages. It is the only one of these tools that uses the network, and
    reaches the sites of list_docs alone. When the site fails, an older copy is returned and marked stale.
    """
    return await manifests.page(url)


FETCHES = READS.model_copy(update={"open_world_hint": True})
TOOL = tool(get_page, "Read a documentation page", "Reading the page", "Read the page", annotations=FETCHES)
