"""An index of pages in one SQLite file, or in memory."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

from mcp_server.search.query import Unit, camel_parts, indexed, parts_of, shown, units_of, words_of
from mcp_server.search.ranking import Ranker
from mcp_server.search.snippets import stems, window

SCHEMA_VERSION = 4
SCHEMA = f"""
CREATE TABLE entries(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, data BLOB NOT NULL,
  title_words INTEGER NOT NULL);
CREATE VIRTUAL TABLE pages USING fts5(title, headings, path, names, body,
  tokenize="porter unicode61 remove_diacritics 2");
CREATE TABLE words(word TEXT PRIMARY KEY) WITHOUT ROWID;
PRAGMA user_version={SCHEMA_VERSION};
"""
SHORT, LONG = 4, 8
"""Characters from which a word may be mistyped by one, and by two."""

CORRECTIONS = 3
LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to be found. `data` is its owner's own, and kept with it."""

    key: str
    title: str
    headings: str = ""
    path: str = ""
    body: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found.

    Attributes:
        score: up to 1; comparable between queries and indexes.
        snippet: a part of the body, as it stands there, around what matches best.
        line: of the body, where it begins, counted from 1.

    """

    key: str
    score: float
    snippet: str
    line: int


class SearchIndex:
    """Pages by BM25 with weights, typing mistakes forgiven. Every method may be called from any thread, and blocks.

    `path` is a file that may be thrown away: a broken or older one is made anew. Without one it is in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._vocabulary: list[str] | None = None
        self._connection = self._opened()
        self._ranker = Ranker(self._connection)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def kept(self) -> dict[str, bytes]:
        """The data of each page, by its key."""
        with self._lock:
            return dict(self._connection.execute("SELECT key, data FROM entries ORDER BY key").fetchall())

    def body(self, key: str) -> str | None:
        with self._lock:
            statement = "SELECT body FROM pages WHERE rowid = (SELECT id FROM entries WHERE key = ?)"
            found = self._connection.execute(statement, (key,)).fetchone()
        return None if found is None else shown(found[0])

    def write(self, entries: Iterable[Entry], remove: Iterable[str] = ()) -> None:
        """Add or replace `entries` and remove those keys, all or nothing."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for key in remove:
                self._delete(key)
            for entry in entries:
                self._delete(entry.key)
                self._insert(entry)
            self._vocabulary = None
            self._ranker.forget()

    def search(self, query: str, limit: int, *, length: int = 200) -> list[Hit]:
        """The best pages first, with snippets of about `length` characters.

        Nothing in `query` is syntax but quotation marks around a phrase.
        """
        with self._lock:
            units = [known for unit in units_of(query) for known in self._known(unit)]
            ranked = self._ranker.ranked(units, limit)
            bodies = [self._row(row) for row, _ in ranked]
        wanted = stems(word for unit in units for word in unit.words)
        hits = []
        for (_, score), (key, body) in zip(ranked, bodies, strict=True):
            start, end = window(body, wanted, length)
            line = body.count("\n", 0, start) + 1
            hits.append(Hit(key, min(1.0, round(score, 4)), body[start:end], line))
        return hits

    def _opened(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._connected()
        except sqlite3.DatabaseError:
            if self._path is None:
                raise
            self._path.unlink(missing_ok=True)
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path or ":memory:", check_same_thread=False, isolation_level=None)
        if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
            names = connection.execute("SELECT name FROM sqlite_schema WHERE name IN ('entries', 'pages', 'words')")
            for (name,) in names.fetchall():
                connection.execute(f"DROP TABLE {name}")
            connection.executescript(SCHEMA)
        connection.execute("PRAGMA synchronous=OFF")  # what a power cut breaks is made anew
        return connection

    def _insert(self, entry: Entry) -> None:
        about = (entry.key, entry.data, max(1, len(parts_of(entry.title))))
        row = self._connection.execute("INSERT INTO entries(key, data, title_words) VALUES (?, ?, ?)", about).lastrowid
        words = words_of(f"{entry.title}\n{entry.headings}\n{entry.body}")
        columns = (entry.title, entry.headings, entry.path, camel_parts(words), entry.body)
        self._connection.execute(
            "INSERT INTO pages(rowid, title, headings, path, names, body) VALUES (?, ?, ?, ?, ?, ?)",
            (row, *map(indexed, columns)),
        )
        known = {word.lower() for word in words if SHORT <= len(word) <= LONGEST_WORD and not word.isdecimal()}
        self._connection.executemany("INSERT OR IGNORE INTO words VALUES (?)", [(word,) for word in known])

    def _delete(self, key: str) -> None:
        for (row,) in self._connection.execute("SELECT id FROM entries WHERE key = ?", (key,)).fetchall():
            self._connection.execute("DELETE FROM pages WHERE rowid = ?", (row,))
            self._connection.execute("DELETE FROM entries WHERE id = ?", (row,))

    def _row(self, row: int) -> tuple[str, str]:
        statement = "SELECT key, body FROM entries JOIN pages ON pages.rowid = entries.id WHERE id = ?"
        key, body = self._connection.execute(statement, (row,)).fetchone()
        return key, shown(body)

    def _known(self, unit: Unit) -> Iterator[Unit]:
        """`unit`, or what it may have been meant to be where no page has it."""
        if self._is_known(unit):
            yield unit
        elif len(unit.words) > 1:
            for word in unit.words:
                yield from self._known(Unit((word,)))
        else:
            for word in self._corrections(unit.words[0]):
                yield Unit((word,))

    def _is_known(self, unit: Unit) -> bool:
        return self._connection.execute("SELECT 1 FROM pages(?) LIMIT 1", (unit.expression,)).fetchone() is not None

    def _corrections(self, word: str) -> list[str]:
        slips = (len(word) >= SHORT) + (len(word) >= LONG)
        if not slips:
            return []
        if self._vocabulary is None:
            self._vocabulary = [known for (known,) in self._connection.execute("SELECT word FROM words")]
        near = process.extract(word, self._vocabulary, scorer=OSA.distance, score_cutoff=slips, limit=CORRECTIONS)
        best = min((distance for _, distance, _ in near), default=0)
        return [known for known, distance, _ in near if distance == best and self._is_known(Unit((known,)))]
