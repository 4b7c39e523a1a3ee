"""What ChatGPT reads from `search` and `fetch`: members, names and the one text item are prescribed by it."""

from typing import Annotated, ClassVar

from pydantic import Field

from mcp_server.toolkit.answers import Answer

Id = Annotated[str, Field(description="What fetch takes: the source, a colon, and its own id.")]
Title = Annotated[str, Field(description="The title, as its authors wrote it.")]
Url = Annotated[str, Field(description="Absolute address to cite.")]


class Prescribed(Answer):
    """An answer whose text is the JSON of its structured content."""

    is_text_json: ClassVar[bool] = True

    def as_text(self) -> str:
        return self.model_dump_json(by_alias=True)


class SearchResult(Answer):
    """One hit."""

    id: Id
    title: Title
    url: Url


class SearchResults(Prescribed):
    """The hits, best first."""

    results: Annotated[tuple[SearchResult, ...], Field(description="Best first; each address once.")]


class FetchedDocument(Prescribed):
    """One document, whole."""

    id: Id
    title: Title
    text: Annotated[str, Field(description="The whole document, as Markdown or plain text.")]
    url: Url
    metadata: Annotated[dict[str, str], Field(description="What its source says of it, and the source's name.")]
