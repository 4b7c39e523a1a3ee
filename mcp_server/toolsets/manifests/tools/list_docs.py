"""Which sites there are."""

from mcp_server.toolset import Tool
from mcp_server.toolsets.manifests.models import ManifestList
from mcp_server.toolsets.manifests.tools import CODES, READS, Manifests


async def list_docs(manifests: Manifests) -> ManifestList:
    """List the documentation sites that are loaded, with the number of their pages.

    Use it first if you don't already know what is there. The other tools take a name of it as docs.
    """
    return await manifests.docs()


TOOL = Tool(
    run=list_docs,
    title="List the documentation sites",
    annotations=READS,
    public=True,
    error_codes=CODES,
    invoking="Listing the sites",
    invoked="Listed the sites",
)
