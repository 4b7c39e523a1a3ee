"""What is mounted."""

from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ERROR_CODES, DocsRows
from mcp_server.toolsets.manifests.tools import READS, Sites


async def list_docs(sites: Sites) -> DocsRows:
    """List the documentation sites that are mounted: one entry for each manifest, with its name, address and pages.

    Use it first if you don't already know what is mounted. The other tools take the name as `docs`.
    """
    return await sites.docs()


TOOL = Tool(
    run=list_docs,
    title="List the documentation sites",
    annotations=READS,
    public=True,
    error_codes=ERROR_CODES,
    invoking="Reading the manifests",
    invoked="Read the manifests",
)
