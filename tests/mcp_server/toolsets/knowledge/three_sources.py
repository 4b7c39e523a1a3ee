"""Three sources as unlike as ours are, over real texts that come with Python and with this repository, and questions.

Each ranks in its own way and on its own scale: BM25, a similarity up to 100, and weighted counts without an end.
"""

import ast
import re
import sqlite3
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from pydoc_data.topics import topics

from rapidfuzz import fuzz, process, utils

from mcp_server.errors import NotFound
from mcp_server.toolkit.sources import Document, Found

HERE = Path(__file__).resolve()
DOCS = HERE.parents[4] / "docs"
STDLIB = Path(ast.__file__).parent
STOPWORDS = frozenset(re.findall(r"\w+", "a an and are do does for how in is it of on or the to what when where with"))
QUESTIONS: list[tuple[str, str]] = [*tomllib.loads(HERE.with_name("questions.toml").read_text())["questions"].items()]

Scored = list[tuple[float, str]]
"""Ids with the scores that their source gives them, best first; more is better."""


class Library:
    """A source. `texts` are Markdown or plain, by their ids; the first line of each is its title."""

    def __init__(self, name: str, texts: dict[str, str]) -> None:
        parted = {key: text.strip().partition("\n") for key, text in texts.items()}
        self.documents = {
            key: Document(title.strip("# "), text, f"https://{name}.example/{key}")
            for key, (title, _, text) in parted.items()
        }

    async def search(self, query: str, limit: int) -> Sequence[Found]:
        best = [(key, self.documents[key]) for _, key in self.scored(query)[:limit]]
        return [Found(key, document.title, document.url) for key, document in best]

    async def fetch(self, id: str) -> Document:
        if id not in self.documents:
            raise NotFound("page", id)
        return self.documents[id]

    def scored(self, query: str) -> Scored:
        """Ten for a word in the title, one for each time that it stands in the text."""
        scores = {
            key: sum(10 * (word in one.title.lower()) + one.text.lower().count(word) for word in words(query))
            for key, one in self.documents.items()
        }
        return sorted(((score, key) for key, score in scores.items() if score), reverse=True)


class ByBm25(Library):
    """SQLite's full text search."""

    def scored(self, query: str) -> Scored:
        index = sqlite3.connect(":memory:")
        index.execute("CREATE VIRTUAL TABLE page USING fts5(key UNINDEXED, title, text, tokenize='porter')")
        rows = [(key, document.title, document.text) for key, document in self.documents.items()]
        index.executemany("INSERT INTO page VALUES (?, ?, ?)", rows)
        wanted = " OR ".join(f'"{word}"' for word in words(query)) or '""'
        ranked = "SELECT -bm25(page, 0, 4, 1) AS score, key FROM page WHERE page MATCH ? ORDER BY score DESC"
        found = index.execute(ranked, [wanted]).fetchall()
        index.close()
        return found


class BySimilarity(Library):
    """The likeness of strings, which always finds something."""

    def scored(self, query: str) -> Scored:
        texts = {key: f"{one.title} {one.text[:400]}" for key, one in self.documents.items()}
        found = process.extract(query, texts, scorer=fuzz.token_set_ratio, processor=utils.default_process, limit=20)
        return [(score, key) for _, score, key in found]


def words(query: str) -> list[str]:
    return [word for word in re.findall(r"\w+", query.lower()) if word not in STOPWORDS]


def sources() -> dict[str, Library]:
    """The pages of this gateway by section, Python's language reference, and its modules."""
    sections = {
        f"{path.stem}-{number}": f"{path.stem}: {section}"
        for path in sorted(DOCS.glob("*.md"))
        for number, section in enumerate(re.split(r"^##? ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:])
    }
    files = {name: STDLIB / f"{name}.py" for name in sorted(sys.stdlib_module_names) if not name.startswith("_")}
    said = {name: ast.get_docstring(ast.parse(path.read_bytes())) for name, path in files.items() if path.is_file()}
    return {
        "gateway": Library("gateway", sections),
        "language": ByBm25("language", {key: text.replace('"', "") for key, text in topics.items()}),
        "modules": BySimilarity("modules", {name: f"{name}: {text}" for name, text in said.items() if text}),
    }
