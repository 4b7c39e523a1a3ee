"""What the assistant toolset reads from the environment: which documentation is asked, and what is remembered."""

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_settings import NoDecode

from mcp_server.settings import Seconds, ToolsetSettings, listed

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Project:
    """One documentation site: its id, what people call it, and where its pages are, if that is known."""

    id: str
    title: str
    url: str = ""

    def __str__(self) -> str:
        return "=".join(filter(None, (self.id, self.title, self.url)))


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
KNOWN = tuple(Project(**one) for one in _FILE["projects"])


def _project(text: str) -> Project:
    """Read `id`, `id=Title` or `id=Title=https://docs.url`. The known ones have a title and an address already."""
    id_, title, url = (part.strip() for part in (*text.split("=", 2), "", "")[:3])
    parts = urlsplit(url)
    if not _ID.fullmatch(id_) or (url and not (parts.scheme in {"http", "https"} and parts.hostname)):
        raise ValueError("write projects as id=Title or id=Title=https://docs.example.com, with commas between them")
    known = next((one for one in KNOWN if one.id == id_), Project(id_, id_))
    return replace(known, title=title or known.title, url=url.rstrip("/") or known.url)


def _projects(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple({one.id: one for one in map(_project, listed(value))}.values())


def _base_url(text: str) -> str:
    parts = urlsplit(text)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not (is_safe and parts.hostname) or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("write an https address such as https://leaves.mintlify.com; http is for this machine only")
    return text.rstrip("/")


class AssistantSettings(ToolsetSettings):
    """Each field is one variable of the same name."""

    assistant_projects: Annotated[tuple[Project, ...], NoDecode, BeforeValidator(_projects), Field(min_length=1)] = (
        Field(KNOWN, description="Documentation to ask: `id=Title` or `id=Title=https://docs.url`, comma-separated.")
    )
    assistant_project: str = Field("", description="The id of the only one that is asked; unset, all of them.")
    assistant_name: str = Field("", description="What that one is called, instead of its title.")
    assistant_base_url: Annotated[str, AfterValidator(_base_url)] = Field(
        "https://leaves.mintlify.com", description="Where Mintlify's assistant answers: https, or this machine."
    )
    assistant_seconds: float = Field(60, gt=0, le=110, description="Seconds for one whole answer.")
    assistant_history_seconds: Seconds = Field(
        3600, description="Seconds after the last question for which a conversation is remembered."
    )
    assistant_history_messages: int = Field(
        20, ge=2, le=200, description="Earlier messages that go along with a question, at most."
    )
    assistant_history_characters: int = Field(
        50_000, ge=1_000, le=1_000_000, description="Characters of these messages, at most."
    )

    @model_validator(mode="after")
    def _one_is_named(self) -> Self:
        if len(self.projects) > 1 and self.assistant_name:
            raise ValueError("ASSISTANT_NAME: it is for one project; name that in ASSISTANT_PROJECT")
        return self

    @property
    def projects(self) -> tuple[Project, ...]:
        """Those that can be asked, as they are called."""
        chosen = self.assistant_projects
        if self.assistant_project:
            found = tuple(one for one in chosen if one.id == self.assistant_project)
            chosen = found or (_project(self.assistant_project),)
        return (replace(chosen[0], title=self.assistant_name), *chosen[1:]) if self.assistant_name else chosen
