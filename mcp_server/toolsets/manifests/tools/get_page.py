"""One page, fetched."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import WEB_LINK
from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ERROR_CODES, FetchedPage
from mcp_server.toolsets.manifests.tools import FETCHES, Sites

Url = Annotated[str, Field(max_length=2_048, description="The address, as another tool said it."), WEB_LINK]


async def get_page(sites: Sites, *, url: Url) -> FetchedPage:
    """Fetch a page of a mounted documentation site and return it as clean Markdown.

    Use it after search_pages or get_section_pages has named the url. Pages are kept for a while; an older copy is
    returned, and says so, where the site does not answer. Only sites of loaded manifests can be read.
    """
    return await sites.page(url)


TOOL = Tool(
    run=get_page,
    title="Get a page of a documentation site",
    annotations=FETCHES,
    public=True,
    error_codes=ERROR_CODES,
    invoking="Reading the page",
    invoked="Read the page",
)
