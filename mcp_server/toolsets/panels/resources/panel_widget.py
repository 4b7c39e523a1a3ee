"""The widget that shows what a panel answered."""

from mcp_server.toolkit.widgets import document, tool_meta, uri_of, widget

TEXT = document("panel")


async def panel_widget() -> str:
    """A view of a survey panel: distributions, comparison, themes, quotes and dissent, as the answers come in."""
    return TEXT


RESOURCE = widget(panel_widget, "Survey panel", uri_of("panel", TEXT))
TOOL_META = tool_meta(RESOURCE.uri)
"""Of each tool whose result it shows."""
