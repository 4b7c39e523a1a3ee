"""The tools of documentation sites: one file, one function and one TOOL each."""

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolsets.manifests.service import Manifests

Sites = Annotated[Manifests, PROVIDED]
DocsName = Annotated[
    str, Field(min_length=1, max_length=100, description="Only this manifest, by its name in list_docs."), PLAIN_TEXT
]

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
FETCHES = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
