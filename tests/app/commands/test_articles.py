"""`articles`: to and from files without a loss, and nothing half-written."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.commands.article_files import MOST_BYTES
from tests.app.commands.conftest import Cli

FILE = """---
title: Getting Started
author: John Doe
category: Tutorial
tags: [guide, "no", 'ünï: #x']
published_at: 2024-11-04T12:00:00Z
---

This guide will help you get started.
"""


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8", newline="")
    return folder


def listed(cli: Cli) -> dict[str, Any]:
    return {row["slug"]: row for row in json.loads(cli("articles", "list", "--json").stdout)}


@pytest.mark.both_databases
def test_export_then_import_into_another_folder_loses_nothing(cli: Cli, tmp_path: Path) -> None:
    contents = ["\n\n  leading\nand trailing\n\n", "---\ntitle: not me\n---\ncontent", "a\r\nb, as on Windows\r\n"]
    files = {
        f"n{number}": f"---\ntitle: 'Yes: {number}'\nslug: s{number}\ncreated_at: 2020-01-01\n---\n\n{content}\n"
        for number, content in enumerate(contents)
    }
    put(tmp_path / "in", first=FILE, **files)
    assert cli("articles", "import", str(tmp_path / "in")).exit_code == 0
    assert cli("articles", "publish", "s0").exit_code == 0
    assert cli("articles", "delete", "s1").exit_code == 0
    before = listed(cli)

    for name in ("one", "two"):
        assert cli("articles", "export", str(tmp_path / name)).exit_code == 0
        again = cli("articles", "import", str(tmp_path / name), "--json")
        assert json.loads(again.stdout) == {"created": 0, "changed": 0, "unchanged": 4}

    assert {one: row["state"] for one, row in before.items()} == {
        "getting-started": "published", "s0": "published", "s1": "deleted", "s2": "draft",
    }  # fmt: skip
    assert before["getting-started"]["tags"] == ["guide", "no", "ünï: #x"]
    exported = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert exported[0] == exported[1]


def test_an_exported_folder_makes_the_same_articles_in_a_new_database(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path / "in", first=FILE, second=FILE.replace("Getting", "Not"))
    cli("articles", "import", str(tmp_path / "in"))
    cli("articles", "delete", "not-started")
    cli("articles", "export", str(tmp_path / "one"))
    other = {"DATABASE_URL": f"sqlite:///{tmp_path / 'other.sqlite3'}"}

    assert cli("articles", "import", str(tmp_path / "one"), **other).exit_code == 0
    cli("articles", "export", str(tmp_path / "two"), **other)

    for path in (tmp_path / "one").iterdir():
        assert (tmp_path / "two" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (FILE.replace("John", "!!python/object/apply:os.system [x] #"), 3),
        (FILE.replace("title: Getting Started", "title: ab"), 2),
        (FILE.replace("category: Tutorial", "category: [a"), 5),
        (FILE.replace("category:", "colour:"), 4),
        (FILE.replace("2024-11-04T12:00:00Z", "2024-13-99"), 1),
        (FILE.replace("2024-11-04T12:00:00Z", "2999-01-01"), 1),
        (FILE.replace("This guide will help you get started.", "short"), 8),
        (FILE.replace("---\ntitle", "---js\ntitle"), 1),
        ("No front matter at all, and long enough.", 1),
        ("---\ntitle: never ends\n" + "x" * 100, 1),
        ("---\n- a list\n---\n" + "x" * 100, 1),
        ("---\n" + "a: b\n" * 10_000 + "---\n" + "x" * 100, 1),
        ("---\ntitle: " + "[" * 8_000 + "\n---\n" + "x" * 100, 1),
        ("---\na: &a [x]\nb: &b [*a,*a]\ntitle: [*b,*b]\n---\n" + "x" * 100, 4),
        ("---\ntitle: &t [*t]\n---\n" + "x" * 100, 2),
        (FILE + "x" * MOST_BYTES, 1),
    ],
)
def test_a_file_that_is_wrong_is_named_with_its_line_and_nothing_is_written(
    cli: Cli, tmp_path: Path, text: str, line: int
) -> None:
    folder = put(tmp_path / "in", a_good=FILE, b_bad=text, c_good=FILE.replace("Getting", "Other"))

    refused = cli("articles", "import", str(folder))

    assert refused.exit_code == 2
    assert f"b_bad.md:{line}: " in refused.stderr
    assert listed(cli) == {}


def test_two_files_of_one_slug_bytes_that_are_no_text_and_links_to_elsewhere_are_refused(
    cli: Cli, tmp_path: Path
) -> None:
    folder = put(tmp_path / "in", a=FILE, b=FILE)
    (folder / "c.md").write_bytes(b"---\n\xff\n---\n")
    (tmp_path / "secret.md").write_text(FILE)
    (folder / "d.md").symlink_to(tmp_path / "secret.md")

    refused = cli("articles", "import", str(folder))

    assert refused.exit_code == 2
    assert all(f"{name}.md:{line}: " in refused.stderr for name, line in (("b", 1), ("c", 2), ("d", 1)))
    assert listed(cli) == {}


def test_a_changed_file_changes_its_article(cli: Cli, tmp_path: Path) -> None:
    folder = put(tmp_path / "in", a=FILE)
    cli("articles", "import", str(folder))
    put(folder, a=FILE.replace("Tutorial", "Guide"))

    counts = json.loads(cli("articles", "import", str(folder), "--json").stdout)

    assert counts == {"created": 0, "changed": 1, "unchanged": 0}
    assert listed(cli)["getting-started"]["category"] == "Guide"


def test_an_article_is_marked_and_an_unknown_one_is_a_mistake(cli: Cli, tmp_path: Path) -> None:
    cli("articles", "import", str(put(tmp_path / "in", a=FILE)))

    states = [
        json.loads(cli("articles", action, "getting-started", "--json").stdout)["state"]
        for action in ("unpublish", "publish", "delete", "restore")
    ]
    unknown = [cli("articles", action, "none").exit_code for action in ("publish", "delete")]
    nowhere = [cli("articles", "import", str(tmp_path / name)).exit_code for name in ("none", "a_file")]

    assert states == ["draft", "published", "deleted", "published"]
    assert (unknown, nowhere) == ([2, 2], [2, 2])
