"""How documents are fetched, read, cut and found again, as the rooms above see it; handed in by the composition."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.internal_api.knowledge.documents import Chunk, Document, Passage


class Fetch(Protocol):
    """Reads the document at an address. Raises SourceRefused, and nothing else that is foreseeable."""

    async def __call__(self, url: str) -> Document: ...


class Extract(Protocol):
    """Reads the document in a file's bytes; heavy, so called in a thread. Raises SourceRefused."""

    def __call__(self, data: bytes, *, filename: str, media_type: str | None) -> Document: ...


class Search(Protocol):
    """Finds the passages of a mind's knowledge that speak of a query, best first."""

    async def search(self, mind_id: str, query: str, *, limit: int = 6) -> list[Passage]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents are fetched, extracted, cut and found again."""

    fetch: Fetch
    extract: Extract
    chunk: Callable[[Document], list[Chunk]]
    search: Search
