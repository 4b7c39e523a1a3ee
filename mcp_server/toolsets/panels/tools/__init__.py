"""The panel tools: one file, one function and one TOOL each."""

from typing import Annotated

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Progress
from mcp_server.toolsets.panels.service import PanelService

Panels = Annotated[PanelService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
