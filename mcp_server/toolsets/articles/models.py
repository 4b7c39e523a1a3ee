"""An article: what may be stored, how it reads, and what the tools answer."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo, model_validator

from mcp_server.errors import GatewayError
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED
from mcp_server.toolkit.folding import latin

LEAST_CONTENT, MOST_CONTENT, MOST_TAGS = 10, 200_000, 50
DESCRIPTION = 200
"""Characters of an article that a list shows."""

State = Literal["published", "draft", "deleted"]


class ArticleNotFound(GatewayError):
    """As the document has it: code, message and data."""

    code, http_status, name, title = -32602, 404, "ARTICLE_NOT_FOUND", "Invalid params"

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.sentence = f"Article not found: {slug[:255]}"


class InvalidUri(GatewayError):
    """As the document has it: code, message and data."""

    code, http_status, name, title = -32600, 400, "INVALID_URI", "Invalid Request"
    sentence = "Invalid URI format. Expected: kb://article/{slug}"


class SlugTaken(ValueError):
    """Another article has the slug, deleted ones included."""


def moment(value: datetime) -> datetime:
    """In UTC, to the millisecond; what names no zone is in UTC."""
    try:
        exact = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is no time that a calendar has") from None
    return exact.replace(microsecond=exact.microsecond // 1000 * 1000)


def _long_enough(content: str) -> str:
    if len(content.strip()) < LEAST_CONTENT:
        raise ValueError(f"must have at least {LEAST_CONTENT} characters")
    return content


Name = Annotated[str, TRIMMED, Field(min_length=1, max_length=255), ONE_LINE]
Tag = Annotated[str, TRIMMED, Field(min_length=1, max_length=64), ONE_LINE]
Moment = Annotated[datetime, AfterValidator(moment)]


class ArticleFields(BaseModel, extra="forbid", frozen=True, hide_input_in_errors=True):
    """What an author decides; `published` is only checked: an article is published when it has a date.

    Validated with the context `now`, which no date of publication may lie after.
    """

    title: Annotated[str, TRIMMED, Field(min_length=3, max_length=255), ONE_LINE]
    content: Annotated[str, Field(max_length=MOST_CONTENT), PLAIN_TEXT, AfterValidator(_long_enough)]
    slug: Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=200)] | None = None
    author: Name | None = None
    category: Name | None = None
    tags: Annotated[tuple[Tag, ...], Field(max_length=MOST_TAGS)] = ()
    published_at: Moment | None = None
    published: Annotated[bool | None, Field(exclude=True)] = None

    @model_validator(mode="after")
    def _dated(self, info: ValidationInfo) -> Self:
        if self.published_at is not None and self.published_at > (info.context or {}).get("now", self.published_at):
            raise ValueError("published_at lies in the future")
        if self.published is not None and self.published != (self.published_at is not None):
            word = "required when published" if self.published else "for published articles only"
            raise ValueError(f"published_at is {word}")
        return self


class StoredArticle(ArticleFields):
    """An article with its history, as a file has it."""

    deleted_at: Moment | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One row."""

    id: int
    slug: str
    title: str
    content: str
    author: str | None
    category: str | None
    tags: tuple[str, ...]
    published_at: datetime | None
    deleted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int

    @property
    def uri(self) -> str:
        return f"kb://article/{self.slug}"

    @property
    def state(self) -> State:
        if self.deleted_at is not None:
            return "deleted"
        return "draft" if self.published_at is None else "published"

    @property
    def text(self) -> str:
        """The whole of it, in the document's form, without the lines that say nothing."""
        published = self.published_at and f"{self.published_at:%Y-%m-%d %H:%M:%S} UTC"
        about = {
            "Author": self.author, "Category": self.category, "Tags": ", ".join(self.tags), "Published": published,
        }  # fmt: skip
        lines = "\n".join(f"{name}: {value}" for name, value in about.items() if value)
        return f"# {self.title}\n\n{self.content.strip()}\n\n{lines}".rstrip()

    @property
    def snippet(self) -> str:
        """How it begins, between words, on one line."""
        words = " ".join(self.content[: 2 * DESCRIPTION].split())
        cut = words if len(words) <= DESCRIPTION else words[: DESCRIPTION + 1].rpartition(" ")[0] or words[:DESCRIPTION]
        return f"{cut.rstrip(' .,:;…')}..."


def slug_of(title: str) -> str:
    """A slug for `title`, in Latin letters; where it has none, one that the same title always has."""
    slug = re.sub(r"[^a-z0-9]+", "-", latin(title).casefold()).strip("-")[:100].rstrip("-")
    return slug or f"article-{hashlib.sha256(title.encode()).hexdigest()[:10]}"


class ArticleHit(Answer):
    """One article that was found."""

    slug: str
    title: str
    category: str | None
    snippet: Annotated[str, Field(description="How the article begins.")]
    uri: Annotated[str, Field(description="The resource that is the whole article.")]

    def row(self) -> str:
        category = f"  Category: {self.category}\n" if self.category else ""
        return f"- {self.title} ({self.slug})\n{category}  {self.snippet}"


class ArticleHits(Answer):
    """What a search found, the best first."""

    articles: list[ArticleHit]
    untrusted: Untrusted = ("$.articles",)

    def as_text(self) -> str:
        if not self.articles:
            return "No articles found. Try fewer or other words, or leave the category out."
        head = f"Found {len(self.articles)} article{'s' if len(self.articles) > 1 else ''}:"
        return "\n\n".join((head, *(hit.row() for hit in self.articles)))


class ArticleText(Answer):
    """One article, whole."""

    slug: str
    title: str
    author: str | None
    category: str | None
    tags: tuple[str, ...]
    published_at: datetime | None
    uri: str
    text: Annotated[str, Field(description="Title, content and the rest, as one text.")]
    untrusted: Untrusted = ("$.title", "$.author", "$.category", "$.tags", "$.text")

    def as_text(self) -> str:
        return self.text
