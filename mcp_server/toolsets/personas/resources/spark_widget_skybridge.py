"""The same widget at its first address, for versions of ChatGPT from before MCP Apps."""

from mcp_server.primitives import Resource
from mcp_server.toolkit.widgets import SKYBRIDGE, resource_meta
from mcp_server.toolsets.personas.resources.spark_widget import TEXT


async def spark_widget_skybridge() -> str:
    """A view of an AI persona, for hosts without MCP Apps."""
    return TEXT


RESOURCE = Resource(
    run=spark_widget_skybridge,
    title="AI persona (older hosts)",
    uri="ui://widget/spark.html",
    mime_type=SKYBRIDGE,
    public=True,
    meta_of=resource_meta,
    is_constant=True,
)
