"""What can be searched and cited, whichever toolset it is in: the toolset `knowledge` asks all sources of a runtime."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a search.

    Attributes:
        id: what `Source.fetch` takes.
        url: an absolute address to cite.
        snippet: the text around the match; may be empty.

    """

    id: str
    title: str
    url: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One document, whole, as Markdown or plain text."""

    title: str
    text: str
    url: str
    metadata: Mapping[str, str] = field(default_factory=dict)


class Source(Protocol):
    """What a toolset puts into `Runtime.sources` under its name when its service opens."""

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        """The best hits first, at most `limit`."""
        ...

    async def fetch(self, id: str) -> Document:
        """Raises `NotFound`: nothing has that id."""
        ...
