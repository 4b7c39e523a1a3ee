"""The documentation tools: one file, one function and one TOOL each."""

from functools import partial
from typing import Annotated

from mcp_types import ToolAnnotations

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Tool
from mcp_server.toolsets.docs.service import DocsService

Docs = Annotated[DocsService, PROVIDED]

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
reading = partial(Tool, annotations=READS, public=True)
