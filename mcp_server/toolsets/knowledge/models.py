"""What ChatGPT reads from `search` and `fetch`: it prescribes the members, and that the text is their JSON."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.answers import Answer, JsonAnswer


class SearchResult(Answer):
    """One hit."""

    id: Annotated[str, Field(description="What fetch takes: the source, a colon, and its own id.")]
    title: Annotated[str, Field(description="The title, as its authors wrote it.")]
    url: Annotated[str, Field(description="Absolute address to cite.")]


class SearchResults(JsonAnswer):
    """The hits, best first."""

    results: Annotated[tuple[SearchResult, ...], Field(description="Best first; each address once.")]


class FetchedDocument(SearchResult, JsonAnswer):
    """One document, whole."""

    text: Annotated[str, Field(description="The whole document, as Markdown or plain text.")]
    metadata: Annotated[dict[str, str], Field(description="What its source says of it, and the source's name.")]
