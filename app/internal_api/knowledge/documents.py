"""What knowledge is made of: a document as it was read, its chunks, a passage found again, and who makes them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import IO, Protocol

PASSING_CODES = frozenset({"timeout", "unreachable"})
PASSING_STATUSES = frozenset({408, 429})
"""Of the statuses below 500: too slow, and too often. Any other says the same again."""
FIRST_SERVER_ERROR = 500


@dataclass(eq=False)
class SourceRefused(Exception):
    """A source that is not taken; `message` is safe to show to its owner.

    `code` is one of the stable words: `private_address`, `not_http`, `too_large`, `not_text`,
    `unreadable_pdf`, `timeout`, `http_status` and their like. `status` is what a page's server answered, if it
    answered.
    """

    code: str
    message: str
    status: int | None = field(default=None, kw_only=True)

    @property
    def is_passing(self) -> bool:
        """Whether it may be different the next time: the network's troubles, not what the source is."""
        if self.status is None:
            return self.code in PASSING_CODES
        return self.status in PASSING_STATUSES or self.status >= FIRST_SERVER_ERROR


@dataclass(frozen=True, slots=True)
class Document:
    """The readable text of one source; neither it nor the title holds what a database cannot store.

    `source` is what a citation shows: a host name, a file name. `link` is the address after redirects.
    `pages` holds, for paged formats, the offset in `text` at which each page begins.
    """

    title: str
    text: str
    source: str
    link: str | None
    media_type: str
    pages: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is small enough to be cited; `position` counts from 0."""

    position: int
    text: str
    heading: str | None
    page: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that a search found; `similarity` is between 0 and 1."""

    chunk_id: str
    item_id: str
    text: str
    title: str
    link: str | None
    page: int | None
    heading: str | None
    similarity: float


Fetch = Callable[[str], Awaitable[Document]]
"""Reads the document at an address. Raises SourceRefused, and nothing else that is foreseeable."""


class Extract(Protocol):
    async def __call__(self, data: IO[bytes], *, filename: str, media_type: str | None) -> Document: ...


class Search(Protocol):
    async def __call__(self, mind_id: str, query: str, *, limit: int = 6) -> list[Passage]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents are fetched, extracted from files, cut, and found again: the passages on a query, best first."""

    fetch: Fetch
    extract: Extract
    chunk: Callable[[Document], list[Chunk]]
    search: Search
