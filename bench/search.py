"""`python -m bench.search`: how well and how fast documentation is searched, beside three other ways on the same pages.

The questions and the material are those of tests/search. `--pool` prints what any engine found first and nobody has
judged, for a person who completes the answers.
"""

import argparse
import re
import resource
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import tantivy

from mcp_server.search.query import STOP_WORDS
from mcp_server.toolsets.docs.index import DocsIndex
from tests.search.material import TREES, Question, fetched, questions

DEEP, SHALLOW = 10, 5
OTHERS = "others_questions.toml"
SIZES = (100, 1_000, 10_000)
WORD = re.compile(r"\w+")

Search = Callable[[str, int], list[str]]
"""A query and how many, to paths."""


class Documented:
    """The algorithm of the source document: title 100, partly 20, heading 50, partly 10, and 1 for each in the text."""

    def __init__(self, index: DocsIndex) -> None:
        self._pages = [
            (path, page.title.lower(), [one.heading.lower() for one in page.sections], index.content(page).lower())
            for path, page in index.pages.items()
        ]

    def __call__(self, query: str, limit: int) -> list[str]:
        query = query.lower().strip('"')
        words = query.split()
        found = [(self._score(query, words, *page[1:]), page[0]) for page in self._pages]
        return [path for score, path in sorted(found, key=lambda one: (-one[0], one[1])) if score][:limit]

    def _score(self, query: str, words: Sequence[str], title: str, headings: Sequence[str], content: str) -> int:
        score = 100 * (query in title) + 50 * any(query in heading for heading in headings)
        score += 20 * sum(word in title for word in words)
        score += 10 * sum(any(word in heading for heading in headings) for word in words)
        return score + sum(content.count(word) for word in words)


class PlainFts5:
    """FTS5 as it comes: every word of the query, joined by OR, with its own ranking."""

    def __init__(self, index: DocsIndex) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, title, headings, body)")
        rows = ((path, page.title, _headings(index, path), index.content(page)) for path, page in index.pages.items())
        self._connection.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows)

    def __call__(self, query: str, limit: int) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in WORD.findall(query))
        statement = "SELECT path FROM pages(?) ORDER BY rank LIMIT ?"
        return [path for (path,) in self._connection.execute(statement, (wanted, limit))]


class Tantivy:
    """The wheel of Lucene's cousin: English stems, boosts of 4 and 2 for title and headings, one letter of fuzz."""

    def __init__(self, index: DocsIndex) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("path", stored=True, tokenizer_name="raw")
        for name in ("title", "headings", "body"):
            builder.add_text_field(name, tokenizer_name="en_stem")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer()
        for path, page in index.pages.items():
            fields = {
                "path": path,
                "title": page.title,
                "headings": _headings(index, path),
                "body": index.content(page),
            }
            writer.add_document(tantivy.Document(**fields))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def __call__(self, query: str, limit: int) -> list[str]:
        searcher = self._index.searcher()
        kept = [word for word in WORD.findall(query.lower()) if word not in STOP_WORDS]
        parsed, _ = self._index.parse_query_lenient(
            " ".join(kept) or query,
            ["title", "headings", "body"],
            field_boosts={"title": 4.0, "headings": 2.0},
            fuzzy_fields={"title": (False, 1, True), "body": (False, 1, True)},
        )
        return [searcher.doc(place)["path"][0] for _, place in searcher.search(parsed, limit).hits]


class Ours:
    """What `search_docs` does."""

    def __init__(self, index: DocsIndex) -> None:
        self._index = index

    def __call__(self, query: str, limit: int) -> list[str]:
        return [hit.key for hit in self._index.search.search(query, limit)]


ENGINES = {"this gateway": Ours, "tantivy": Tantivy, "plain FTS5": PlainFts5, "the document's weights": Documented}


def _headings(index: DocsIndex, path: str) -> str:
    return "\n".join(section.heading for section in index.pages[path].sections)


def opened(root: Path, cache: Path | None = None) -> DocsIndex:
    index = DocsIndex(root, cache)
    index.refresh()
    return index


def rank_of(search: Search, question: Question) -> int:
    """Of the first right page among ten; 0 where there is none."""
    found = enumerate(search(question.text, DEEP), 1)
    return next((rank for rank, path in found if question.is_answered_by(path)), 0)


def figures(ranks: Sequence[int]) -> tuple[float, float]:
    """MRR@10 and recall@5."""
    reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return reciprocal, sum(0 < rank <= SHALLOW for rank in ranks) / len(ranks)


def ranks_by_engine(indexes: dict[str, DocsIndex]) -> dict[str, dict[str, list[int]]]:
    """For each engine the ranks of the questions to tune on, of those set aside, and of those of another person."""
    told: dict[str, dict[str, list[int]]] = {}
    for name, engine in ENGINES.items():
        searches = {tree: engine(index) for tree, index in indexes.items()}
        told[name] = {"tuned": [], "aside": [], "others": []}
        for question in questions():
            told[name]["aside" if question.aside else "tuned"].append(rank_of(searches[question.tree], question))
        for question in questions(OTHERS):
            told[name]["others"].append(rank_of(searches[question.tree], question))
    return told


def quality(indexes: dict[str, DocsIndex]) -> Iterator[str]:
    yield f"{'MRR@10, recall@5':<26}{'tuned on':>14}{'set aside':>14}{'others':>14}"
    for name, ranks in ranks_by_engine(indexes).items():
        cells = ("{:>7.2f}{:>7.2f}".format(*figures(part)) for part in ranks.values())
        yield f"{name:<26}{''.join(cells)}"


def pool(indexes: dict[str, DocsIndex]) -> Iterator[str]:
    searches = {tree: [engine(index) for engine in ENGINES.values()] for tree, index in indexes.items()}
    for question in questions():
        found = dict.fromkeys(path for search in searches[question.tree] for path in search(question.text, SHALLOW))
        new = [path for path in found if not question.is_answered_by(path)]
        yield f"[{question.tree}] {question.text}\n  known: {', '.join(question.answers)}"
        yield from (f"  ? {path}" for path in new)


def speed(pages: Sequence[Path]) -> Iterator[str]:
    """Build, load and queries at each size; real pages, again under another name where there are too few."""
    yield f"{'pages':>7}{'build ms':>10}{'load ms':>9}{'p50 ms':>8}{'p99 ms':>8}{'MB for 100':>12}"
    asked = [question.text for question in questions()]
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "docs")
            for number in range(size):
                page = pages[number * 7 % len(pages)]
                place = root / f"part-{number % 50}" / f"{number}-{page.name}"
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(page, place)
            started = time.perf_counter()
            opened(root, Path(folder, "cache")).close()
            build = time.perf_counter() - started
            before, started = resident(), time.perf_counter()
            index = opened(root, Path(folder, "cache"))
            load, took = time.perf_counter() - started, []
            for query in asked:
                started = time.perf_counter()
                index.search.search(query, DEEP)
                took.append((time.perf_counter() - started) * 1000)
            memory = max(0, resident() - before) / size * 100
            index.close()
        cuts = statistics.quantiles(took, n=100)
        yield f"{size:>7}{build * 1000:>10.0f}{load * 1000:>9.1f}{cuts[49]:>8.1f}{cuts[98]:>8.1f}{memory:>12.2f}"


def resident() -> float:
    """MB at the most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pool", action="store_true")
    roots = {tree.name: fetched(tree) for tree in TREES}
    indexes = {name: opened(root) for name, root in roots.items()}
    if parser.parse_args().pool:
        print("\n".join(pool(indexes)))
        return
    print(f"{sum(len(index.pages) for index in indexes.values()):,} pages, {len(questions())} questions")
    for line in quality(indexes):
        print(line)
    print()
    for line in speed([root / path for name, root in roots.items() for path in indexes[name].pages]):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
