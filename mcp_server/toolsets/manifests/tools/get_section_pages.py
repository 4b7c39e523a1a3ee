"""All pages of a section."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import OPTIONAL, PLAIN_TEXT
from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ERROR_CODES, PageRows
from mcp_server.toolsets.manifests.tools import READS, DocsName, Sites

Section = Annotated[str, Field(min_length=1, max_length=1_000, description="The prefix of the path."), PLAIN_TEXT]


async def get_section_pages(
    sites: Sites, *, section: Section, docs: Annotated[DocsName | None, OPTIONAL] = None
) -> PageRows:
    """Return every page whose URL starts with a section prefix, such as /api/payment_intents.

    Use it when you want to walk a topic exhaustively. list_sections and search_pages name sections.
    """
    return await sites.section_pages(section, docs)


TOOL = Tool(
    run=get_section_pages,
    title="List the pages of a section",
    annotations=READS,
    public=True,
    error_codes=ERROR_CODES,
    invoking="Reading the manifests",
    invoked="Read the manifests",
)
