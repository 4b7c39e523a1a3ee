"""The panel tools: one file, one function and one TOOL each."""

from functools import partial
from typing import Annotated

from mcp_types import ToolAnnotations

from mcp_server.toolkit.sampling import Sampling
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Progress, Tool
from mcp_server.toolsets.panels.service import PanelService

Panels = Annotated[PanelService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
ClientModel = Annotated[Sampling, PROVIDED]

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CREATES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)

reading = partial(Tool, annotations=READS, scopes=frozenset({"flows:read"}))
