"""Every source at once."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED
from mcp_server.toolsets.knowledge.models import SearchResults
from mcp_server.toolsets.knowledge.tools import Knowledge, reading

Query = Annotated[str, TRIMMED, Field(min_length=1, max_length=1_000, description="Words, or a question."), PLAIN_TEXT]


async def search(knowledge: Knowledge, query: Query) -> SearchResults:
    """Search all documentation and articles at once.

    Use it first for a question that they may answer, and when you do not know where the answer stands. The results are
    titles with ids and addresses, best first; read the promising ones with fetch before you answer.
    """
    return await knowledge.search(query)


TOOL = reading(
    search, "Search all knowledge", "Searching documentation and articles", "Searched documentation and articles"
)
