"""The tools: one file, one function and one TOOL each; here what both of them take."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Progress
from mcp_server.toolsets.assistant.service import Assistant

Asked = Annotated[Assistant, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
ProjectId = Annotated[str, TRIMMED, Field(max_length=100, description="Which documentation, by its id."), ONE_LINE]
