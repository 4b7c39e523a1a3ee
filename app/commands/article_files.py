"""Articles as Markdown files with YAML front matter, both ways without loss."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from app.commands.output import iso
from mcp_server.toolsets.articles.models import Article, StoredArticle

MOST_BYTES, MOST_FRONT_MATTER = 1024 * 1024, 16 * 1024
SUFFIX = ".md"

_PARTS = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(.*)", re.DOTALL | re.MULTILINE)
_FRAME = re.compile(r"(?:\r?\n)?(.*?)(?:\r?\n)?", re.DOTALL)
"""What stands around the content, which may itself begin and end with line ends."""


class FileRefused(Exception):
    """The text names file, line and reason."""


def written(article: Article) -> str:
    """The file of `article`."""
    fields = [name for name in StoredArticle.model_fields if name not in {"content", "published"}]
    known = {name: getattr(article, name) for name in fields}
    plain = {name: iso(value) if isinstance(value, datetime) else value for name, value in known.items()}
    about = {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items() if value}
    front = yaml.safe_dump(about, allow_unicode=True, sort_keys=False, width=2**20)
    return f"---\n{front}---\n\n{article.content}\n"


def read(path: Path, folder: Path, now: datetime) -> StoredArticle:
    """The article in the file. Raises FileRefused: it holds something else, or leads out of `folder`."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise FileRefused(f"{path}:1: leads out of the folder")
    if path.stat().st_size > MOST_BYTES:
        raise FileRefused(f"{path}:1: has more than {MOST_BYTES} bytes")
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise FileRefused(f"{path}:{line}: is not in UTF-8") from None
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise FileRefused(f"{path}:1: must begin with front matter in YAML, between two lines of ---")
    front, body = parts[1], _FRAME.fullmatch(parts[2])
    given = _front_matter(path, front)
    first_line = front.count("\n") + 3
    try:
        article = {**given, "content": body[1] if body else ""}
        return StoredArticle.model_validate(article, context={"now": now})
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        raise FileRefused("\n".join(_fault(path, front, first_line, one) for one in faults)) from None


def _front_matter(path: Path, front: str) -> dict[str, Any]:
    if len(front) > MOST_FRONT_MATTER:
        raise FileRefused(f"{path}:1: the front matter has more than {MOST_FRONT_MATTER} characters")
    try:
        given = yaml.safe_load(front)
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 2 if fault.problem_mark else 1
        raise FileRefused(f"{path}:{line}: {fault.problem or 'is no YAML'}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise FileRefused(f"{path}:1: the front matter cannot be read as plain YAML") from None
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        raise FileRefused(f"{path}:1: the front matter must have lines such as `title: Getting Started`")
    if "content" in given:
        raise FileRefused(f"{path}:{_line(front, 'content')}: the content stands below the front matter")
    if isinstance(tags := given.get("tags"), str):
        given["tags"] = [tag for tag in map(str.strip, tags.split(",")) if tag]
    return {name: value for name, value in given.items() if value is not None}


def _fault(path: Path, front: str, first_line: int, fault: Mapping[str, Any]) -> str:
    place = ".".join(map(str, fault["loc"]))[:80]
    name = place.partition(".")[0]
    line = first_line if name == "content" else _line(front, name)
    return f"{path}:{line}: {place + ': ' if place else ''}{fault['msg'].removeprefix('Value error, ')}"


def _line(front: str, name: str) -> int:
    """Where the field stands, or else the front matter."""
    lines = front.splitlines()
    return next((number for number, line in enumerate(lines, 2) if name and line.startswith(f"{name}:")), 1)
