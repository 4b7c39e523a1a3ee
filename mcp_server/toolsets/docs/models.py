"""What the documentation tools answer, each with its complete text."""

from typing import Annotated, ClassVar

from pydantic import Field

from mcp_server.toolkit.answers import Answer, Untrusted


class SearchResult(Answer):
    """One page that fits a query."""

    path: Annotated[str, Field(description="What get_doc_page takes.")]
    title: str
    score: Annotated[int, Field(description="From 0 to 100.")]
    snippet: str
    heading: Annotated[str | None, Field(description="The section of the match; get_doc_page takes it in `sections`.")]
    anchor: str | None
    line_start: int | None
    line_end: int | None
    url: Annotated[str, Field(description="Where people read it, at that section.")]

    def lines(self, number: int) -> str:
        place = f"\n   {self.heading} (lines {self.line_start}-{self.line_end}, #{self.anchor})" if self.heading else ""
        shown = " ".join(self.snippet.split())
        return f"{number}. {self.path} (score: {self.score})\n   '{shown}'{place}"


class SearchResults(Answer):
    """The pages that fit a query, the best first."""

    query: str
    results: list[SearchResult]
    total: int
    untrusted: Untrusted = ("$.results",)

    def as_text(self) -> str:
        if not self.results:
            return "Found 0 results. Try other words, or call list_doc_pages to see what there is."
        head = f"Found {self.total} result{'s' if self.total != 1 else ''}:"
        return "\n\n".join([head, *(one.lines(number) for number, one in enumerate(self.results, 1))])


class DocPage(Answer):
    """A page, or some of its sections."""

    is_verbatim: ClassVar[bool] = True  # the operator's own text, in which code must stay as it is

    path: str
    title: str
    content: str
    sections: Annotated[list[str], Field(description="All headings of the page, to ask for some of them.")]
    cut: Annotated[bool, Field(description="The content was too long and ends early; ask for sections.")]
    url: str
    untrusted: Untrusted = ("$.title", "$.content", "$.sections")

    def as_text(self) -> str:
        if not self.cut:
            return self.content
        return f"{self.content}\n\n… cut here. Ask for some of its sections: {'; '.join(self.sections)}"


class DocCategory(Answer):
    """Pages that the sidebar puts together."""

    name: str
    pages: list[str]


class DocPages(Answer):
    """The pages that there are, by category."""

    categories: list[DocCategory]
    total: int
    untrusted: Untrusted = ("$.categories",)

    def as_text(self) -> str:
        shown = sum(len(category.pages) for category in self.categories)
        lines = ["Documentation Pages:"]
        for category in self.categories:
            head = [f"\n{category.name}:\n"] if len(self.categories) > 1 else [""]
            lines += [*head, *(f"- {path}" for path in category.pages)]
        if shown < self.total:
            lines.append(f"\n… and {self.total - shown} more; name a category, or use search_docs.")
        return "\n".join(lines)
