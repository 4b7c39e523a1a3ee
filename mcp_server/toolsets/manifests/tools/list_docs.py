"""Which sites there are."""

from mcp_server.toolsets.manifests.models import Listing, ManifestEntry
from mcp_server.toolsets.manifests.tools import Manifests, tool


async def list_docs(manifests: Manifests) -> Listing[ManifestEntry]:
    """List the documentation sites that are loaded, with the number of their pages.

    Use it first if you don't already know what is there. The other tools take a name of it as docs.
    """
    return await manifests.docs()


TOOL = tool(list_docs, "List the documentation sites", "Listing the sites", "Listed the sites")
