"""All that was shown to anybody in a story, and the search for it in what servers keep, write and say."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

import httpx2

from oauth.primitives.secrets import digest

COOKIE = re.compile(r"(?:port-\d+-)?([\w.-]+)=([^;]+)")
HIDDEN = re.compile(r'name="(csrf|request|continue)" value="([^"]+)"')
SHORTEST = 8
"""Characters below which a word may stand anywhere by chance."""


@dataclass
class Secrets:
    """By what they are; the same kind seen again gets a number."""

    seen: dict[str, str] = field(default_factory=dict)

    def note(self, what: str, secret: str) -> str:
        """Remember the secret, and give it back."""
        assert len(secret) >= SHORTEST, what
        if secret not in self.seen.values():
            kinds = [name for name in self.seen if name.partition(" #")[0] == what]
            self.seen[f"{what} #{len(kinds) + 1}"] = secret
        return secret

    async def watch(self, response: httpx2.Response) -> None:
        """Note what a browser is handed: cookies, and the hidden fields of forms."""
        for line in response.headers.get_list("set-cookie"):
            if (found := COOKIE.match(line)) and len(found[2]) >= SHORTEST:
                self.note(f"cookie {found[1]}", found[2])
        await response.aread()
        for name, value in HIDDEN.findall(response.text):
            self.note(f"field {name}", value)

    def of(self, *kinds: str) -> list[str]:
        """The secrets whose kind begins with one of these words."""
        return [secret for name, secret in self.seen.items() if name.startswith(kinds)]

    def found_in(self, places: Mapping[str, bytes], but: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Which secret stands where, however it is written; `but` names kinds that may."""
        excused = tuple(but)
        return [
            (what, place)
            for what, secret in self.seen.items()
            if not what.startswith(excused)
            for place, content in places.items()
            if any(spelling in content for spelling in spellings(secret))
        ]


def spellings(secret: str) -> set[bytes]:
    """As it is, and as forms, addresses and JSON write it."""
    return {word.encode() for word in (secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])}


def digests_found(secrets: Iterable[str], tables: Mapping[str, bytes]) -> int:
    """How many of the secrets the tables hold as their digests."""
    return sum(any(digest(secret).encode() in rows for rows in tables.values()) for secret in secrets)


def files_under(folder: Path, but: Iterable[str] = ()) -> dict[str, bytes]:
    """Every file as bytes, but those with these names."""
    unread = set(but)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in unread
    }


def tables_of(database: Path) -> dict[str, bytes]:
    """Every row of every table, as SQLite reads them."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return dict(_tables(connection))


def _tables(connection: sqlite3.Connection) -> Iterator[tuple[str, bytes]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
        yield name, "\n".join(str(value) for row in rows for value in row).encode()
