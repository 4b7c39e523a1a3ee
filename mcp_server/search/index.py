"""An index of pages in one SQLite file, or in memory."""

import math
import re
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

from mcp_server.search.query import Unit, camel_parts, indexed, shown, units_of

SCHEMA_VERSION = 1
SCHEMA = f"""
CREATE TABLE entries(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, version TEXT NOT NULL);
CREATE VIRTUAL TABLE pages USING fts5(title, headings, path, names, body,
  tokenize="porter unicode61 remove_diacritics 2");
CREATE TABLE words(word TEXT PRIMARY KEY) WITHOUT ROWID;
PRAGMA user_version={SCHEMA_VERSION};
"""
SCORES = "SELECT rowid, -bm25(pages, 4.0, 2.0, 2.0, 1.0, 1.0) FROM pages(?)"
"""With the weights of title, headings, path, parts of camel-case names, and body."""

SNIPPET = "SELECT snippet(pages, 4, '', '', '', 40) FROM pages(?) WHERE rowid = ?"
"""40 words of the body, which is column 4."""

IN_TITLE, IN_HEADING, PAIR, COVERAGE = 2.0, 1.0, 0.3, 0.5
"""What a match in the title and in a heading adds to the frequency of a word, what two words that follow each other add
to a page, and the power of the share of the query that it has. Measured (docs/search.md)."""

BEST = 2.2 + IN_TITLE + IN_HEADING

SHORT, LONG = 4, 8
"""Characters from which a word may be mistyped by one, and by two."""

CORRECTIONS = 3

_WORDS = re.compile(r"[^\W\d_]{4,40}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to be found. `version` is whatever tells its owner whether it has changed."""

    key: str
    title: str
    headings: str = ""
    path: str = ""
    body: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found.

    Attributes:
        score: between 0 and 1; comparable between queries of one index.
        snippet: a part of the body, as it stands there, around what matched best.

    """

    key: str
    score: float
    snippet: str


class SearchIndex:
    """Pages by BM25 with weights, typing mistakes forgiven. Every method may be called from any thread, and blocks.

    `path` is a file that may be thrown away: a broken or older one is made anew. Without one it is in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._vocabulary: list[str] | None = None
        self._connection = self._opened()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def versions(self) -> dict[str, str]:
        """The version of each page, by its key."""
        with self._lock:
            return dict(self._connection.execute("SELECT key, version FROM entries"))

    def write(self, entries: Iterable[Entry], remove: Iterable[str] = ()) -> None:
        """Add or replace `entries` and remove those keys, all or nothing."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for key in remove:
                self._delete(key)
            for entry in entries:
                self._delete(entry.key)
                about = (entry.key, entry.version)
                row = self._connection.execute("INSERT INTO entries(key, version) VALUES (?, ?)", about).lastrowid
                columns = (entry.title, entry.headings, entry.path, camel_parts(entry.body), entry.body)
                self._connection.execute(
                    "INSERT INTO pages(rowid, title, headings, path, names, body) VALUES (?, ?, ?, ?, ?, ?)",
                    (row, *map(indexed, columns)),
                )
                words = {word.lower() for column in columns for word in _WORDS.findall(column)}
                self._connection.executemany("INSERT OR IGNORE INTO words VALUES (?)", zip(words, strict=False))
            self._vocabulary = None

    def search(self, query: str, limit: int) -> list[Hit]:
        """The best pages first. Nothing in `query` is syntax but quotation marks around a phrase."""
        with self._lock:
            units = [known for unit in units_of(query) for known in self._known(unit)]
            ranked = self._ranked(units)[:limit]
            return [Hit(self._key(row), min(1.0, round(score, 4)), self._snippet(row, units)) for row, score in ranked]

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
        return connection

    def _delete(self, key: str) -> None:
        for (row,) in self._connection.execute("SELECT id FROM entries WHERE key = ?", (key,)).fetchall():
            self._connection.execute("DELETE FROM pages WHERE rowid = ?", (row,))
            self._connection.execute("DELETE FROM entries WHERE id = ?", (row,))

    def _key(self, row: int) -> str:
        return str(self._connection.execute("SELECT key FROM entries WHERE id = ?", (row,)).fetchone()[0])

    def _ranked(self, units: Sequence[Unit]) -> list[tuple[int, float]]:
        """Rows and their scores up to 1: which share of the query, weighted by rarity, a page has, and how well."""
        total = self._connection.execute("SELECT count(*) FROM entries").fetchone()[0]
        found = {unit: rows for unit in dict.fromkeys(units) if (rows := self._matches(unit.expression, total))}
        rarity = {unit: _rarity(len(rows), total) for unit, rows in found.items()}
        whole = sum(rarity.values())
        scores: dict[int, float] = defaultdict(float)
        covered: dict[int, float] = defaultdict(float)
        for unit, rows in found.items():
            titles, headings = (self._rows(f"{column} : {unit.expression}") for column in ("title", "headings"))
            for row, frequency in rows.items():
                quality = frequency + IN_TITLE * (row in titles) + IN_HEADING * (row in headings)
                scores[row] += rarity[unit] * quality / BEST
                covered[row] += rarity[unit]
        for pair in self._pairs(units, found):
            for row in self._rows(pair.expression):
                scores[row] += PAIR * whole / len(units)
        ranked = ((row, score / whole * (covered[row] / whole) ** COVERAGE) for row, score in scores.items())
        return sorted(ranked, key=lambda one: (-one[1], one[0]))

    def _matches(self, expression: str, total: int) -> dict[int, float]:
        """How often and how densely each page has it: BM25 without its rarity, which FTS5 makes nothing of what is
        common; at most 2.2.
        """
        found = self._connection.execute(SCORES, (expression,)).fetchall()
        rarity = max(math.log((total - len(found) + 0.5) / (len(found) + 0.5)), 1e-6) if found else 1.0
        return {row: score / rarity for row, score in found}

    def _rows(self, expression: str) -> set[int]:
        return {row for (row,) in self._connection.execute("SELECT rowid FROM pages(?)", (expression,))}

    def _pairs(self, units: Sequence[Unit], found: Mapping[Unit, object]) -> Iterator[Unit]:
        return (Unit(one.words + two.words) for one, two in pairwise(units) if one in found and two in found)

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
            self._vocabulary = [word for (word,) in self._connection.execute("SELECT word FROM words")]
        near = process.extract(word, self._vocabulary, scorer=OSA.distance, score_cutoff=slips, limit=CORRECTIONS)
        best = min((distance for _, distance, _ in near), default=0)
        return [known for known, distance, _ in near if distance == best and self._is_known(Unit((known,)))]

    def _snippet(self, row: int, units: Sequence[Unit]) -> str:
        expression = " OR ".join(unit.expression for unit in units)
        found = self._connection.execute(SNIPPET, (expression, row)).fetchone()
        return shown(found[0]) if found is not None else ""


def _rarity(pages: int, total: int) -> float:
    return math.log(1 + (total - pages + 0.5) / (pages + 0.5))
