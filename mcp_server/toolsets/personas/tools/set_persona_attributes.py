"""Attributes of personas, changed."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.attributes import Changes
from mcp_server.toolsets.personas._bulk import ChangedAttributes
from mcp_server.toolsets.personas.tools import REPEATABLE, Personas, SparkId, editing


async def set_persona_attributes(
    personas: Personas,
    *,
    sparkIds: Annotated[list[SparkId], Field(min_length=1, max_length=100, description="The personas' ids.")],
    attributes: Changes,
) -> ChangedAttributes:
    """Set attributes of AI personas, such as role, region or age, by which get_panel_results can compare answers.

    Use it when personas exist already; new ones are given theirs at creation. Attributes that are not named stay.
    """
    return await personas.bulk.set_attributes(sparkIds, attributes)


TOOL = editing(
    run=set_persona_attributes,
    title="Set attributes of personas",
    annotations=REPEATABLE,
    timeout=95.0,
    invoking="Changing the attributes",
    invoked="Changed the attributes",
)
