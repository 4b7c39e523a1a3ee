"""One page."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolsets.docs.models import DocPage
from mcp_server.toolsets.docs.tools import Docs, reading

Path = Annotated[
    str, Field(min_length=1, max_length=1_000, description="The path, as search_docs says it."), PLAIN_TEXT
]
Sections = Annotated[
    list[Annotated[str, Field(max_length=500)]],
    Field(max_length=50, description="Only these sections, by heading or anchor, with what stands below them."),
]


async def get_doc_page(docs: Docs, *, path: Path, sections: Sections | None = None) -> DocPage:
    """Retrieve specific documentation page, as Markdown.

    Use it when search_docs or list_doc_pages has named the path. Give sections to read only a part of a long page; a
    section that does not exist is answered with those that do.
    """
    return await docs.page(path, sections or [])


TOOL = reading(get_doc_page, "Get a documentation page", "Reading the page", "Read the page")
