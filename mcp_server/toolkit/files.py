"""Files that are handed to people by a link: what services ask for, and the form for desktop clients."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from mcp_server.toolkit.file_store import FileStore

LONGEST_NAME = 120
"""Bytes. File systems take 255; links are read by people, too."""

LONGEST_SUFFIX = 8
FORBIDDEN = frozenset('/\\:*?"<>|')
"""In the names of files, on one system or another."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a file is, and the ISO 8601 time until which it is there."""

    url: str
    expires_at: str


class Files(Protocol):
    """Publishes what a tool has made."""

    async def publish(self, file_name: str, media_type: str, content: bytes) -> Link:
        """Keep `content` for a while, and say where; `file_name` is made safe, so it may hold what people wrote."""
        ...


class LocalFiles:
    """For a client on the same machine and of the same user: the link is the file's own place."""

    def __init__(self, shelf: FileStore) -> None:
        self._shelf = shelf

    async def publish(self, file_name: str, media_type: str, content: bytes) -> Link:
        """Keep `content` on the shelf."""
        kept = await asyncio.to_thread(self._shelf.put, safe_name(file_name), media_type, content)
        return Link(kept.path.as_uri(), timestamp(kept.expires))


def timestamp(seconds: float) -> str:
    """Seconds since 1970 in the form that the internal API uses, too."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def safe_name(text: str) -> str:
    """`text` as the name of one file that every system takes: printable, of bounded length, its suffix kept."""
    line = " ".join("".join(map(_shown, text)).split())
    stem, dot, suffix = line.rpartition(".")
    if not (dot and suffix.isascii() and suffix.isalnum() and len(suffix) <= LONGEST_SUFFIX):
        stem, suffix = line, ""
    ending = f".{suffix}" if suffix else ""
    cut = stem.strip(". ").encode()[: LONGEST_NAME - len(ending)].decode(errors="ignore")
    return f"{cut.strip('. ') or 'file'}{ending}"


def _shown(character: str) -> str:
    if character in FORBIDDEN:
        return "-"
    return character if character.isprintable() else " " * character.isspace()
