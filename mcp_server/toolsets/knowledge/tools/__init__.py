"""The two tools that ChatGPT knows by name; here what both take."""

from functools import partial
from typing import Annotated

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import READS, Tool
from mcp_server.toolsets.knowledge.service import KnowledgeService

Knowledge = Annotated[KnowledgeService, PROVIDED]
reading = partial(Tool, annotations=READS, public=True)
