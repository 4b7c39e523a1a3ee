"""The words of knowledge: a document as it was read, its chunks, and a passage that was found again."""

from dataclasses import dataclass


class SourceRefused(Exception):
    """A source that is not taken; `message` is safe to show to its owner.

    `code` is one of the stable words: `private_address`, `not_http`, `too_large`, `not_text`,
    `unreadable_pdf`, `timeout`, `http_status` and their like.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Document:
    """The readable text of one source.

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
