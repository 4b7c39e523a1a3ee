"""A note for those who may read."""

from typing import Annotated

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.notes.service import Notes


async def private_note(notes: Annotated[Notes, PROVIDED], *, slug: str) -> str:
    """How often anything was written until this note was."""
    return str(await notes.rows("SELECT revision FROM notes WHERE slug = ?", slug))


READ = frozenset({"sparks:read"})
RESOURCE = Resource(run=private_note, title="Private note", uri="note://private/{slug}", scopes=READ)
