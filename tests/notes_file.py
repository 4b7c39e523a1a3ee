"""The file of the toolset `notes` of the tests: `python -m tests.notes_file FILE SLUG TEXT` writes one into it."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def write(file: Path, slug: str, text: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS notes (slug TEXT UNIQUE, text TEXT, first INT, revision INT)")
        [revision] = database.execute("SELECT coalesce(max(revision), 0) + 1 FROM notes").fetchone()
        replace = "ON CONFLICT (slug) DO UPDATE SET text = excluded.text, revision = excluded.revision"
        database.execute(f"INSERT INTO notes VALUES (?, ?, ?, ?) {replace}", (slug, text, revision, revision))


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
