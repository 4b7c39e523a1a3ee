"""The persona tools: one file, one function and one TOOL each."""

from typing import Annotated

from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Context, Progress
from mcp_server.toolsets.personas.service import PersonaService

Personas = Annotated[PersonaService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
Request = Annotated[Context, PROVIDED]
