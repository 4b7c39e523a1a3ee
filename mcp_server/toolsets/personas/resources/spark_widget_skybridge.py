"""The same widget at its first address, for versions of ChatGPT from before MCP Apps."""

from mcp_server.toolkit.widgets import SKYBRIDGE, widget
from mcp_server.toolsets.personas.resources.spark_widget import TEXT


async def spark_widget_skybridge() -> str:
    """A view of an AI persona, for hosts without MCP Apps."""
    return TEXT


RESOURCE = widget(spark_widget_skybridge, "AI persona (older hosts)", "ui://widget/spark.html", SKYBRIDGE)
