"""The sections of sites."""

from typing import Annotated

from mcp_server.toolkit.arguments import OPTIONAL
from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ERROR_CODES, SectionRows
from mcp_server.toolsets.manifests.tools import READS, DocsName, Sites


async def list_sections(sites: Sites, *, docs: Annotated[DocsName | None, OPTIONAL] = None) -> SectionRows:
    """List URL paths grouped by top-level section, with page counts.

    Use it to see what a site covers; it is cheap. Next: get_section_pages with one of them, or search_pages.
    """
    return await sites.sections(docs)


TOOL = Tool(
    run=list_sections,
    title="List the sections of a documentation site",
    annotations=READS,
    public=True,
    error_codes=ERROR_CODES,
    invoking="Reading the manifests",
    invoked="Read the manifests",
)
