"""A note that everybody may read."""

from typing import Annotated

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.notes.service import Notes


async def open_note(notes: Annotated[Notes, PROVIDED], *, slug: str) -> str:
    """The text of a note."""
    return await notes.read(slug)


RESOURCE = Resource(run=open_note, title="Note", uri="note://open/{slug}", public=True)
