"""The panel tools: one file, one function and one TOOL each."""

from functools import partial
from typing import Annotated

from mcp_server.toolkit.sampling import Sampling
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import CHANGES, READS, Progress, Tool
from mcp_server.toolsets.panels.service import PanelService

Panels = Annotated[PanelService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
ClientModel = Annotated[Sampling, PROVIDED]

reading = partial(Tool, annotations=READS, scopes=frozenset({"flows:read"}))
changing = partial(Tool, annotations=CHANGES, scopes=frozenset({"flows:read", "flows:write"}))
