"""A note for everybody."""

from typing import Annotated

from mcp_server.primitives import Resource
from mcp_server.toolkit.signature import PROVIDED
from tests.toolsets.notes.service import Notes


async def open_note(notes: Annotated[Notes, PROVIDED], *, slug: str) -> str:
    """How often anything was written until this note was."""
    return str(await notes.rows("SELECT revision FROM notes WHERE slug = ?", slug))


RESOURCE = Resource(run=open_note, title="Note", uri="note://open/{slug}", public=True)
