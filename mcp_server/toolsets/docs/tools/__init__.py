"""The documentation tools: one file, one function and one TOOL each."""

from functools import partial
from typing import Annotated

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import READS, Tool
from mcp_server.toolsets.docs.service import DocsService

Docs = Annotated[DocsService, PROVIDED]

reading = partial(Tool, annotations=READS, public=True)
