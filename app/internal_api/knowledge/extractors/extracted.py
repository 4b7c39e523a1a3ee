"""What every extractor returns, and the ceilings that keep one document from taking the process down."""

from dataclasses import dataclass

from app.internal_api.knowledge.documents import SourceRefused

MAX_CHARACTERS = 2_000_000  # about a thousand book pages; more is a library, to be given book by book
MAX_PAGES = 2_000


@dataclass(frozen=True, slots=True)
class Extracted:
    """The readable text of a source: pages when `paged`, else one part. Headings are `# ` lines."""

    parts: tuple[str, ...]
    title: str | None = None
    paged: bool = False


def too_long() -> SourceRefused:
    return SourceRefused(
        "too_large", f"The text is longer than {MAX_CHARACTERS:,} characters. Give it in several parts."
    )


class Budget:
    """Counts the characters of a document while it is read, so that a bomb stops early."""

    def __init__(self) -> None:
        self._left = MAX_CHARACTERS

    def spend(self, text: str) -> str:
        """Return `text`.

        Raises:
            SourceRefused: `too_large`.

        """
        self._left -= len(text)
        if self._left < 0:
            raise too_long()
        return text
