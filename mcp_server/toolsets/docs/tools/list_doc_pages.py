"""What pages there are."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolsets.docs.models import DocPages
from mcp_server.toolsets.docs.tools import Docs, reading

Category = Annotated[str, Field(max_length=200, description="Only the pages of this category."), PLAIN_TEXT]


async def list_doc_pages(docs: Docs, *, category: Category | None = None) -> DocPages:
    """List all available documentation pages, by category.

    Use it to see what is documented, or when a search found nothing. The paths are what get_doc_page takes.
    """
    return await docs.listing(category)


TOOL = reading(list_doc_pages, "List the documentation pages", "Listing the pages", "Listed the pages")
