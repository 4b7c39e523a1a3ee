"""What a site is about."""

from mcp_server.toolsets.manifests.models import Listing, SectionEntry
from mcp_server.toolsets.manifests.tools import Docs, Manifests, tool


async def list_sections(manifests: Manifests, *, docs: Docs = None) -> Listing[SectionEntry]:
    """List the top-level sections of a documentation site as URL paths with page counts; without docs, of all sites.

    Use it to see what a site covers. It is cheap. Next: get_section_pages.
    """
    return await manifests.sections(docs)


TOOL = tool(list_sections, "List the sections", "Listing the sections", "Listed the sections")
