"""Full-text search."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolsets.docs.models import SearchResults
from mcp_server.toolsets.docs.tools import Docs, reading

Query = Annotated[
    str,
    Field(min_length=1, max_length=500, description='Words, a question, identifiers, or a "phrase" in quotes.'),
    PLAIN_TEXT,
]
Limit = Annotated[int, Field(ge=1, le=50, description="How many results at most; 10 by default.")]


async def search_docs(docs: Docs, *, query: Query, limit: Limit | None = None) -> SearchResults:
    """Full-text search across documentation.

    Use it first for any question that the documentation may answer. Each result names the page, the section and the
    lines of the match. Typing mistakes and other word forms are found too. Next: get_doc_page with the path, and with
    the section where the page is long.
    """
    return await docs.find(query, limit)


TOOL = reading(search_docs, "Search the documentation", "Searching the documentation", "Searched the documentation")
