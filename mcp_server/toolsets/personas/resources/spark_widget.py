"""The widget that shows a persona's training and the conversation with it."""

from mcp_server.primitives import Resource
from mcp_server.toolkit.widgets import MIME_TYPE, document, resource_meta, tool_meta, uri_of

TEXT = document("spark")


async def spark_widget() -> str:
    """A view of an AI persona: its training as it goes on, then a conversation with sources."""
    return TEXT


RESOURCE = Resource(
    run=spark_widget,
    title="AI persona",
    uri=uri_of("spark", TEXT),
    mime_type=MIME_TYPE,
    public=True,
    meta_of=resource_meta,
    is_constant=True,
)

TOOL_META = tool_meta(RESOURCE.uri)
"""Of each tool whose result it shows."""
