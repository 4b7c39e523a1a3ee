"""The widget that shows a persona's training and the conversation with it."""

from mcp_server.toolkit.widgets import document, tool_meta, uri_of, widget

TEXT = document("spark")


async def spark_widget() -> str:
    """A view of an AI persona: its training as it goes on, then a conversation with sources."""
    return TEXT


RESOURCE = widget(spark_widget, "AI persona", uri_of("spark", TEXT))
TOOL_META = tool_meta(RESOURCE.uri)
"""Of each tool whose result it shows."""
