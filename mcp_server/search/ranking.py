"""Which pages fit a query best: BM25 of the body word by word, and what titles, headings, paths and neighbours add."""

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappushpop
from itertools import pairwise
from pkgutil import resolve_name

from mcp_server.search.query import WORDS, Unit

SCORES = "SELECT rowid, -bm25(pages, 0.0, 0.0, 0.0, 1.0, 1.0) FROM pages(?)"
"""Of the body, and the parts of its camel-case names; the other columns are asked for by themselves."""

COLUMNS = (("title", 4.0), ("headings", 0.7), ("path", 2.0))
WHOLE_TITLE, NEAR, ADJACENT, SYNONYM, COVERAGE = 1.2, 1.5, 1.5, 0.8, 0.7
"""What a match there adds to the frequency of a word in the body, which is at most 2.2; what a title adds of which the
query has all words; what two words of it add that stand near or next to each other; what a synonym is worth; and the
power of the share of the query that a page has. Measured (docs/search.md)."""

NEARNESS, MOST = 3, 2.2
BEST = MOST + WHOLE_TITLE + NEAR + ADJACENT + sum(worth for _, worth in COLUMNS)


@dataclass(slots=True)
class _Ranking:
    """Of each page its score, which share of the query it has, and how many words of its title."""

    scores: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    covered: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    titled: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, rows: Mapping[int, float], share: float) -> None:
        scores, covered = self.scores, self.covered  # a common word is in thousands of pages
        for row, frequency in rows.items():
            scores[row] += share * frequency
            covered[row] += share

    def add_column(self, column: str, rows: Iterable[int], worth: float, words: float) -> None:
        for row in rows:
            self.scores[row] += worth
            self.titled[row] += words * (column == "title")

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Rows and their scores up to 1, the best first."""
        top: list[tuple[float, int]] = [(-1.0, 0)] * limit
        for row, score in self.scores.items():
            if score >= top[0][0]:  # a share of the query makes it no greater
                heappushpop(top, (score * min(1.0, self.covered[row]) ** COVERAGE, -row))
        return [(-row, score / BEST) for score, row in sorted(top, reverse=True) if score >= 0]


class Ranker:
    """Asks the tables of an index, which are `connection`'s."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def forget(self) -> None:
        """The pages have changed."""
        vars(self).pop("_title_words", None)

    @cached_property
    def _title_words(self) -> dict[int, int]:
        """How many words the title of each page has; its keys are all pages."""
        return dict(self._connection.execute("SELECT id, title_words FROM entries").fetchall())

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        stem: Callable[[str], str] = resolve_name("snowballstemmer:stemmer")("porter").stemWord
        return stem

    @cached_property
    def _others(self) -> Mapping[str, Sequence[str]]:
        """What else a word may be called, by its stem, so that other forms of it have the same synonyms."""
        others: defaultdict[str, list[str]] = defaultdict(list)
        for group in map(str.split, WORDS["groups"]):
            for word in group:
                others[self._stem(word)] += [other.replace("-", " ") for other in group if other != word]
        return others

    def ranked(self, units: Sequence[Unit], limit: int) -> list[tuple[int, float]]:
        """Rows and their scores up to 1: which share of the query, weighted by rarity, a page has, and how well."""
        total = len(self._title_words)
        found = {unit: rows for unit in dict.fromkeys(units) if (rows := self._matches(unit.expression, total))}
        often = {unit: len(rows) + 0.5 for unit, rows in found.items()}
        rarities = {unit: math.log(1 + (total + 1 - pages) / pages) for unit, pages in often.items()}
        whole = sum(rarities.values())
        ranking = _Ranking()
        for unit, rows in found.items():
            share = rarities[unit] / whole
            ranking.add(rows, share)
            others = self._synonyms(unit)
            if others:
                matched = self._matches(others, total).items()
                ranking.add({row: min(score, MOST) for row, score in matched if row not in rows}, share * SYNONYM)
            for column, worth in COLUMNS:
                own = self._rows(f"{column} : {unit.expression}")
                ranking.add_column(column, own, share * worth, len(unit.words))
                if others:
                    also = set(self._rows(f"{column} : ({others})")).difference(own)
                    ranking.add_column(column, also, share * worth * SYNONYM, SYNONYM)
        self._add_neighbours(ranking.scores, [unit for unit in units if unit in found])
        for row, words in ranking.titled.items():
            ranking.scores[row] += WHOLE_TITLE * min(1.0, words / self._title_words.get(row, 1), ranking.covered[row])
        return ranking.best(limit)

    def _add_neighbours(self, scores: dict[int, float], units: Sequence[Unit]) -> None:
        pairs = list(pairwise(units))
        for one, two in pairs:
            for distance, worth in ((NEARNESS, NEAR), (0, ADJACENT)):
                for row in self._rows(f"NEAR({one.expression} {two.expression}, {distance})"):
                    scores[row] += worth / len(pairs)

    def _synonyms(self, unit: Unit) -> str:
        """What FTS5 is asked for all of them; empty where there are none."""
        if unit.exact:
            return ""
        others = self._others.get(self._stem(unit.words[0]), ())
        return " OR ".join(Unit(tuple(other.split())).expression for other in others)

    def _matches(self, expression: str, total: int) -> dict[int, float]:
        """How often and how densely each page has it: BM25 without its rarity, at most 2.2.

        FTS5 takes what more than half of the pages have for nothing.
        """
        found = self._connection.execute(SCORES, (expression,)).fetchall()
        rarity = max(math.log((total - len(found) + 0.5) / (len(found) + 0.5)), 1e-6) if found else 1.0
        return {row: score / rarity for row, score in found}

    def _rows(self, expression: str) -> list[int]:
        return [row for (row,) in self._connection.execute("SELECT rowid FROM pages(?)", (expression,))]
