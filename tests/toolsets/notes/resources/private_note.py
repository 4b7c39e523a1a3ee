"""The same note, for those who may read."""

from typing import Annotated

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.notes.service import Notes


async def private_note(notes: Annotated[Notes, PROVIDED], *, slug: str) -> str:
    """The text of a note."""
    return await notes.read(slug)


RESOURCE = Resource(
    run=private_note, title="Private note", uri="note://private/{slug}", scopes=frozenset({"sparks:read"})
)
