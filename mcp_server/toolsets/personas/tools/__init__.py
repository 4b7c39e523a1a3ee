"""The persona tools: one file, one function and one TOOL each; here what several of them take."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED, identifier
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import Context, Progress
from mcp_server.toolsets.personas.service import PersonaService

Personas = Annotated[PersonaService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
Request = Annotated[Context, PROVIDED]
SparkId = Annotated[str, Field(max_length=64, json_schema_extra={"format": "uuid"}), identifier("list_my_ai_personas")]


class Turn(BaseModel):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[str, TRIMMED, Field(min_length=1, max_length=20_000), PLAIN_TEXT]
