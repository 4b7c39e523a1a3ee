"""A manifest: which pages a documentation site has; and what the tools say of them."""

import json
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from mcp_server.errors import ToolFailure
from mcp_server.toolkit.answers import Answer, JsonAnswer, Untrusted
from mcp_server.toolkit.quotations import escaped_json

ERROR_CODES: Mapping[str, str] = MappingProxyType({"invalid_arguments": "invalid_args", "internal": "internal"})
"""The words of this toolset's document for failures that every tool has."""

MOST_PAGES = 20_000

ManifestName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]


class NoSuch(ToolFailure):
    code: ClassVar[str] = "not_found"

    def __init__(self, what: str, name: str, closest: str | None, instead: str) -> None:
        hint = f"did you mean '{closest}'?" if closest else instead
        super().__init__(f"no {what} '{name}' ({hint})", suggestions=[closest] if closest else [])


class PageNotFetched(ToolFailure):
    code: ClassVar[str] = "fetch_failed"


class CacheFailed(ToolFailure):
    code: ClassVar[str] = "cache_error"


def _web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an http or https address")
    return url


WebAddress = Annotated[str, AfterValidator(_web_address), Field(max_length=2_048)]


class ManifestPage(BaseModel):
    """One page of a site."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: WebAddress
    title: Annotated[str, Field(max_length=500)]

    @property
    def path(self) -> str:
        return urlsplit(self.url).path.rstrip("/") or "/"

    @property
    def section(self) -> str:
        """The path above the page."""
        return self.path.rpartition("/")[0] or "/"


class Manifest(BaseModel):
    """The pages of one site. `etag` and `last_modified` are of what lists them, at `listed_at`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    name: ManifestName
    url: WebAddress
    source: Literal["llms.txt", "sitemap", "crawl"]
    listed_at: WebAddress
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    pages: Annotated[tuple[ManifestPage, ...], Field(max_length=MOST_PAGES)]

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(
            {urlsplit(page.url).netloc.lower() for page in self.pages} | {urlsplit(self.url).netloc.lower()}
        )

    def top_section(self, page: ManifestPage) -> str:
        """The first part of its path below the manifest's own."""
        base = urlsplit(self.url).path.rstrip("/")
        path = page.path
        below = path.removeprefix(base) if path.startswith(f"{base}/") else path
        first = below.strip("/").partition("/")
        return f"{path.removesuffix(below)}/{first[0]}" if first[1] else (base or "/")


def title_of(url: str) -> str:
    """What a page may be called whose title nobody has read."""
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]).rpartition(".")
    words = (last[0] or last[2]).replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] or urlsplit(url).netloc


class _Rows(JsonAnswer):
    """An object with one list, whose text is that list alone, as the document has it."""

    def as_text(self) -> str:
        rows: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude={"untrusted"})
        return escaped_json(json.dumps(next(iter(rows.values())), ensure_ascii=False))


class DocsRow(Answer):
    name: Annotated[str, Field(description="What `docs` takes.")]
    url: str
    pages: int


class DocsRows(_Rows):
    """The manifests that are loaded."""

    docs: list[DocsRow]
    untrusted: Untrusted = ("$.docs",)


class SectionRow(Answer):
    section: Annotated[str, Field(description="What get_section_pages takes.")]
    pages: int


class SectionRows(_Rows):
    """URL paths by their first part, with page counts."""

    sections: list[SectionRow]
    untrusted: Untrusted = ("$.sections",)


class PageRow(Answer):
    url: Annotated[str, Field(description="What get_page takes.")]
    title: str
    section: str


class PageRows(_Rows):
    """The pages of a section."""

    pages: list[PageRow]
    untrusted: Untrusted = ("$.pages",)


class HitRow(PageRow):
    score: Annotated[float, Field(description="From 0 to 1, comparable between all manifests.")]


class HitRows(_Rows):
    """Pages that fit a query, the best first."""

    pages: list[HitRow]
    untrusted: Untrusted = ("$.pages",)


class FetchedPage(Answer):
    """A page as Markdown."""

    url: str
    title: str
    content: str
    fetched_at: str
    stale: Annotated[bool, Field(description="The site did not answer: this is an older copy.")]
    cut: Annotated[bool, Field(description="The page goes on.")]
    untrusted: Untrusted = ("$.title", "$.content")

    def as_text(self) -> str:
        notes = [f"(An older copy, of {self.fetched_at}: the site does not answer now.)\n\n"] if self.stale else []
        return "".join([*notes, self.content, "\n\n(cut here)" if self.cut else ""])
