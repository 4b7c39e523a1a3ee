"""The tools of the knowledge base: one file, one function and one TOOL each; here what both have."""

from functools import partial
from typing import Annotated

from mcp_types import ToolAnnotations

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Tool
from mcp_server.toolsets.articles.service import Articles

KnowledgeBase = Annotated[Articles, PROVIDED]
READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
reading = partial(Tool, annotations=READS, public=True, timeout=10.0)
