"""What a manifest is, as it stands in its file, and what the tools answer."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Generic, Literal, Self, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, model_validator
from pydantic_core import to_json

from mcp_server.toolkit.answers import Answer, JsonAnswer, Untrusted
from mcp_server.toolkit.quotations import escaped_json
from mcp_server.upstream.addresses import DEFAULT_PORTS
from mcp_server.upstream.fetching import Validators

MOST_PAGES = 10_000
"""Of one manifest."""

LONGEST_URL = 2_048
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

Source = Literal["llms.txt", "sitemap", "crawl"]


def host_of(url: str) -> str:
    """The host that `url` is on, with its port where that is not usual; empty where it is no address of the web."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc:
        return ""
    return host if port in {None, DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"


def path_of(url: str) -> str:
    """Begins with a slash, and ends with none but at the root."""
    return "/" + unquote(urlsplit(url).path).strip("/")


def is_below(path: str, section: str) -> bool:
    return section in {"/", path} or path.startswith(f"{section}/")


class Page(BaseModel, frozen=True, extra="forbid"):
    """`heading` is what the site's own list puts the page under."""

    url: Annotated[str, Field(max_length=LONGEST_URL)]
    title: Annotated[str, Field(max_length=500)]
    heading: Annotated[str, Field(max_length=500)] = ""

    @property
    def section(self) -> str:
        return path_of(self.url).rpartition("/")[0] or "/"

    @property
    def entry(self) -> dict[str, str]:
        return {"url": self.url, "title": self.title, "section": self.section}


class Manifest(BaseModel, frozen=True, extra="forbid"):
    """The pages of one documentation site, all on the host of `url` and below it.

    `validators` are of the files that the list was made of.
    """

    version: Literal[1] = 1
    name: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    url: Annotated[str, Field(max_length=LONGEST_URL)]
    source: Source
    fetched_at: datetime
    validators: dict[str, Validators] = {}
    pages: Annotated[tuple[Page, ...], Field(min_length=1, max_length=MOST_PAGES)]

    @model_validator(mode="after")
    def _is_one_site(self) -> Self:
        if not host_of(self.url):
            raise ValueError("url: must be an http or https address")
        if (stray := next((one.url for one in self.pages if not covers(self.url, one.url)), None)) is not None:
            raise ValueError(f"pages: {stray} is not below {self.url}")
        if len({one.url for one in self.pages}) < len(self.pages):
            raise ValueError("pages: one stands there twice")
        return self

    def top_section(self, page: Page) -> str:
        """The first part of its path below that of the site."""
        base = path_of(self.url).rstrip("/")
        return path_of(f"{base}/{path_of(page.url)[len(base) + 1 :].partition('/')[0]}")


def covers(site: str, url: str) -> bool:
    """Whether `url` is on the host of `site` and below its path."""
    return host_of(url) == host_of(site) != "" and is_below(path_of(url), path_of(site))


class ManifestEntry(Answer):
    name: Annotated[str, Field(description="What the other tools take as `docs`.")]
    url: str
    pages: int


class SectionEntry(Answer):
    section: Annotated[str, Field(description="What get_section_pages takes.")]
    pages: int


class PageEntry(Answer):
    url: Annotated[str, Field(description="What get_page takes.")]
    title: str
    section: str


class ScoredPage(PageEntry):
    score: Annotated[float, Field(description="From 0 to 1, comparable between manifests.")]


Row = TypeVar("Row", bound=Answer)


class Listing(JsonAnswer, Generic[Row]):
    """Rows, whose text is their array alone, as JSON."""

    results: tuple[Row, ...]
    untrusted: Untrusted = ("$.results",)

    def as_text(self) -> str:
        return escaped_json(to_json(self.model_dump(by_alias=True)["results"]).decode())


class PageContent(Answer):
    """A page as Markdown."""

    url: Annotated[str, Field(description="Where it was in the end, after redirects.")]
    title: str
    content: str
    fetched_at: datetime
    age_seconds: int
    stale: Annotated[bool, Field(description="The site fails at the moment; this is an older copy.")]
    stale_because: str
    cut: Annotated[bool, Field(description="The page was too long, and ends early.")]
    untrusted: Untrusted = ("$.title", "$.content")

    def as_text(self) -> str:
        age = timedelta(seconds=self.age_seconds)
        notes = [f"Stale copy, {age} old (h:mm:ss), because {self.stale_because}.\n\n"] if self.stale else []
        return "".join([*notes, self.content, *(["\n\n… cut here."] if self.cut else [])])
