"""What stands in a Markdown file: fenced blocks with their directives, tables, links. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_settings import BaseSettings

_FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<directive>[^>]+?) -->\n(?P=indent))?"
    r"```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `directive` is the comment right above it, or empty."""

    language: str
    body: str
    directive: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings."""

    name: str
    default: str
    meaning: str


def blocks(markdown: str) -> list[Block]:
    """The fenced blocks, in their order."""
    return [Block(m["language"], m["body"], m["directive"] or "") for m in _FENCE.finditer(markdown)]


def rows(markdown: str) -> Iterator[tuple[str, ...]]:
    """The rows of all tables, cell by cell, without fenced blocks."""
    for line in _FENCE.sub("", markdown).splitlines():
        if line.startswith("|") and line.endswith("|") and not re.fullmatch(r"[|\-: ]+", line):
            yield tuple(cell.strip() for cell in line[1:-1].split(" | "))


def column(markdown: str, position: int = 0) -> list[str]:
    """One column of all tables, without backticks."""
    return [row[position].strip("`") for row in rows(markdown) if len(row) > position]


def broken_links(path: Path, markdown: str) -> list[str]:
    """The links to files, or to headings of files, that lead nowhere."""
    targets = (m["target"] for m in _LINK.finditer(_FENCE.sub("", markdown)))
    return [target for target in targets if "://" not in target and not _leads_somewhere(path, target)]


def _leads_somewhere(path: Path, target: str) -> bool:
    place, _, anchor = target.partition("#")
    file = path.parent / place if place else path
    if not anchor:
        return file.exists()
    return file.is_file() and anchor in {_anchor(m["text"]) for m in _HEADING.finditer(file.read_text("utf-8"))}


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def settings(model: type[BaseSettings], derived: Mapping[str, str]) -> list[Setting]:
    """The rows that the settings of `model` need; `derived` says where a default comes from that is no constant."""
    fields = zip(names(model), model.model_fields.values(), strict=True)
    return [
        Setting(name, derived.get(name) or written(info.default), sentence(info.description or ""))
        for name, info in fields
    ]


def names(model: type[BaseSettings]) -> list[str]:
    """The environment variables that `model` reads."""
    prefix = model.model_config.get("env_prefix", "")
    return [f"{prefix}{field}".upper() for field in model.model_fields]


def written(value: Any) -> str:
    """A default as it is written in the environment; empty when it is unset or secret."""
    match value:
        case None | SecretStr():
            return ""
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case tuple() | list() | frozenset():
            return ",".join(map(str, value))
        case _:
            return str(value)


def sentence(description: str) -> str:
    """With a capital and a full stop, whichever way it was written."""
    return f"{description[:1].upper()}{description[1:].rstrip('.')}." if description else ""


def cell(default: str) -> str:
    """A default as it stands in a table."""
    return f"`{default}`" if default else "unset"
