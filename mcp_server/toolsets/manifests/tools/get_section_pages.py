"""All pages of a section."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolsets.manifests.models import Listing, PageEntry
from mcp_server.toolsets.manifests.tools import Docs, Manifests, tool

Section = Annotated[
    str, Field(min_length=1, max_length=2_000, description="A URL path such as /api/payment_intents."), PLAIN_TEXT
]


async def get_section_pages(manifests: Manifests, *, section: Section, docs: Docs = None) -> Listing[PageEntry]:
    """List every page whose URL starts with a section prefix, in the order of the site.

    Use it to walk a topic exhaustively. list_sections and search_pages name sections, and any longer path will do.
    """
    return await manifests.section_pages(section, docs)


TOOL = tool(get_section_pages, "List the pages of a section", "Listing the pages", "Listed the pages")
