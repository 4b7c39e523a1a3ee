"""The persona tools: one file, one function and one TOOL each; here what several of them take."""

from functools import partial
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED, identifier
from mcp_server.toolkit.sampling import Sampling
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import CHANGES, READS, Context, Progress, Tool
from mcp_server.toolsets.personas.service import PersonaService

Personas = Annotated[PersonaService, PROVIDED]
Reports = Annotated[Progress, PROVIDED]
ClientModel = Annotated[Sampling, PROVIDED]
Request = Annotated[Context, PROVIDED]
SparkId = Annotated[str, Field(max_length=64, json_schema_extra={"format": "uuid"}), identifier("list_my_ai_personas")]
TheirId = Annotated[SparkId, Field(description="The persona's id; it wins over sparkName.")] | None
_Name = Annotated[
    str,
    TRIMMED,
    Field(max_length=200, description="The persona's name, whole where something is deleted. Not needed with sparkId."),
    ONE_LINE,
]
TheirName = _Name | None
REPEATABLE = CHANGES.model_copy(update={"idempotent_hint": True})
DELETES = CHANGES.model_copy(update={"destructive_hint": True})
EDIT_SECONDS = 65.0  # finding the persona may take 30 seconds, and what is done with it, too

reading = partial(Tool, annotations=READS, scopes=frozenset({"sparks:read"}))
editing = partial(Tool, annotations=CHANGES, scopes=frozenset({"sparks:read", "sparks:write"}), timeout=EDIT_SECONDS)
"""Tools that change nothing, and those that change personas."""


class Turn(BaseModel):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[str, TRIMMED, Field(min_length=1, max_length=20_000), PLAIN_TEXT]
