"""The widget that shows what a panel answered."""

from mcp_server.primitives import Resource
from mcp_server.toolkit.widgets import MIME_TYPE, document, resource_meta, tool_meta, uri_of

TEXT = document("panel")


async def panel_widget() -> str:
    """A view of a survey panel: distributions, comparison, themes, quotes and dissent, as the answers come in."""
    return TEXT


RESOURCE = Resource(
    run=panel_widget,
    title="Survey panel",
    uri=uri_of("panel", TEXT),
    mime_type=MIME_TYPE,
    public=True,
    meta_of=resource_meta,
    is_constant=True,
)

TOOL_META = tool_meta(RESOURCE.uri)
"""Of each tool whose result it shows."""
