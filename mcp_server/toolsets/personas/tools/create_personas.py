"""Many new personas from a table."""

from typing import Annotated, Any

from pydantic import Field

from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED
from mcp_server.toolset import CHANGES
from mcp_server.toolsets.personas._bulk import MOST_ROWS
from mcp_server.toolsets.personas.models import BulkCreated
from mcp_server.toolsets.personas.tools import Personas, Reports, editing

Csv = Annotated[str, Field(max_length=500_000, description="A CSV table, its first line the names of the columns.")]
Rows = Annotated[list[dict[str, Any]], Field(max_length=MOST_ROWS, description="The same as JSON objects.")]
Audience = Annotated[
    str,
    TRIMMED,
    Field(min_length=3, max_length=2_000, description="Instead of a table: who is wanted; drafts rows, creates none."),
    PLAIN_TEXT,
]
Group = Annotated[
    str, TRIMMED, Field(min_length=1, max_length=200, description="A new group to put them all into."), ONE_LINE
]


async def create_personas(
    personas: Personas,
    report: Reports,
    *,
    csv: Csv | None = None,
    rows: Rows | None = None,
    group: Group | None = None,
    audience: Audience | None = None,
    count: Annotated[int, Field(ge=1, le=50, description="How many to draft.")] = 10,
) -> BulkCreated:
    """Create many AI personas from a table in one call, up to 500. Use it when there is a table.

    Columns: name; context (who the person is), keywords or link; discipline, type (user, expert, creative),
    description; every other column is an attribute, such as role or region, to compare panels by, and all that is known
    of who has nothing else. Faulty rows are named by their lines and hinder no others. Called again, it makes nobody
    twice and changes nobody (the same name and attributes count as there), and trains again whose training failed.
    Next: create_panel with the returned groupId.
    """
    if sum(each is not None for each in (csv, rows, audience)) != 1:
        raise InvalidArguments("give exactly one of csv, rows and audience")
    if audience is not None:
        return await personas.bulk.draft(audience, count)
    return await personas.bulk.create(csv, rows, group, report)


TOOL = editing(
    run=create_personas,
    title="Create personas from a table",
    annotations=CHANGES.model_copy(update={"idempotent_hint": True, "open_world_hint": True}),
    timeout=120.0,  # the list may take 30 seconds; creations are begun for 40, the last of which may take some more
    limit="10/minute",
    cost="high",
    invoking="Creating the personas",
    invoked="Created the personas",
)
