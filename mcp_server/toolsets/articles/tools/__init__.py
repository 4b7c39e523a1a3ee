"""The tools of the knowledge base: one file, one function and one TOOL each; here what both have."""

from functools import partial
from typing import Annotated

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import READS, Tool
from mcp_server.toolsets.articles.service import Articles

KnowledgeBase = Annotated[Articles, PROVIDED]
reading = partial(Tool, annotations=READS, public=True, timeout=10.0)
