"""The index file: its form, when it is used, and what is read again."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mcp_server.toolsets.docs.index import INDEX_FILE, LARGEST_FILE, DocsIndex, Outcome
from tests.mcp_server.toolsets.docs.folder import PAGES, written


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def opened(root: Path, cache: Path | None, **more: Any) -> tuple[DocsIndex, Outcome]:
    index = DocsIndex(root, cache, **more)
    return index, index.refresh()


def kept(cache: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((cache / INDEX_FILE).read_bytes())
    return found


@pytest.mark.requirement("seed:servemd:index-format", "seed:servemd:index-place")
def test_the_file_has_the_documented_form(root: Path, cache: Path) -> None:
    opened(root, cache, clock=lambda: 1_769_855_400.0)

    about = kept(cache)
    entry = about["index"]["api/endpoints.md"]

    assert list(about) == ["version", "built_at", "docs_root", "docs_count", "index"]
    assert (about["version"], about["built_at"], about["docs_root"]) == ("1.0", "2026-01-31T10:30:00Z", str(root))
    assert about["docs_count"] == len(PAGES) == len(about["index"])
    assert {"path", "title", "content", "sections", "mtime", "size", "word_count"} == set(entry)
    assert entry["content"] == PAGES["api/endpoints.md"]
    assert {"heading": "GET /llms.txt", "level": 2, "line_start": 5, "line_end": 12}.items() <= entry["sections"][
        1
    ].items()


@pytest.mark.requirement("seed:servemd:load-when-valid", "seed:servemd:survives-restarts")
def test_a_valid_index_is_loaded_and_no_page_is_read(root: Path, cache: Path) -> None:
    first, built = opened(root, cache)
    first.close()

    second, loaded = opened(root, cache)

    assert (built.read, loaded.read, loaded.removed) == (3, 0, 0)
    assert second.pages == first.pages
    assert second.search.search("llms.txt", 5)[0].key == "api/endpoints.md"
    assert second.check() == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": "0.9"},
        {"docs_root": "/elsewhere"},
        {"docs_count": 7},
        {"index": []},
        {"index": {"a.md": {}}, "docs_count": 1},
    ],
)
@pytest.mark.requirement("seed:servemd:validate-cache")
def test_an_index_of_another_version_root_or_count_is_built_again(
    root: Path, cache: Path, change: dict[str, Any]
) -> None:
    opened(root, cache)[0].close()
    (cache / INDEX_FILE).write_text(json.dumps({**kept(cache), **change}), encoding="utf-8")

    index, outcome = opened(root, cache)

    assert outcome.read == len(PAGES)
    assert index.check() == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_broken_index_is_built_again(root: Path, cache: Path, content: bytes) -> None:
    opened(root, cache)[0].close()
    (cache / INDEX_FILE).write_bytes(content)

    assert opened(root, cache)[1].read == len(PAGES)


@pytest.mark.requirement("seed:servemd:debug-rebuilds")
def test_with_debug_every_start_reads_all(root: Path, cache: Path) -> None:
    opened(root, cache)[0].close()

    assert opened(root, cache, rebuild=True)[1].read == len(PAGES)


def test_only_what_has_changed_is_read_again(root: Path, cache: Path) -> None:
    index, _ = opened(root, cache)
    (root / "index.md").write_text("# Hello\n\nA zebra.\n", encoding="utf-8")
    (root / "new.md").write_text("# New\n", encoding="utf-8")
    (root / "configuration.md").unlink()

    outcome = index.refresh()

    assert (outcome.read, outcome.removed) == (2, 1)
    assert sorted(index.pages) == ["api/endpoints.md", "index.md", "new.md"]
    assert index.search.search("zebra", 5)[0].key == "index.md"
    assert kept(cache)["docs_count"] == 3
    assert index.refresh().read == 0


def test_the_check_names_what_the_next_start_would_read_again(root: Path, cache: Path) -> None:
    index = DocsIndex(root, cache)
    assert index.check() == ["there is no index yet"]
    index.refresh()
    (root / "new.md").write_text("# New\n", encoding="utf-8")
    (root / "index.md").write_text("# Changed\n", encoding="utf-8")
    (root / "configuration.md").unlink()

    assert index.check() == ["new.md is new", "index.md has changed", "configuration.md is gone"]


def test_a_cache_that_cannot_be_written_is_done_without(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    index, outcome = opened(root, tmp_path / "file")

    assert outcome.read == len(PAGES)
    assert index.search.search("rate", 5)
    assert opened(root, None)[1].read == len(PAGES)


def test_links_out_of_the_folder_and_huge_files_are_left_out(root: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n", encoding="utf-8")
    (root / "leak.md").symlink_to(tmp_path / "secret.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "inside.md").symlink_to(root / "index.md")
    (root / "deep").symlink_to(tmp_path, target_is_directory=True)
    (root / ".hidden").mkdir()
    (root / ".hidden/a.md").write_text("# Hidden\n", encoding="utf-8")
    with (root / "huge.md").open("wb") as file:
        os.truncate(file.fileno(), LARGEST_FILE + 1)

    index, _ = opened(root, cache)

    assert sorted(index.pages) == sorted([*PAGES, "inside.md"])
    assert len(index.problems) == 2


def test_odd_bytes_and_line_ends_are_made_text(root: Path, cache: Path) -> None:
    (root / "odd.md").write_bytes(b"\xef\xbb\xbf# Odd\r\n\r\nnul \x00 and \xff\r")

    index, _ = opened(root, cache)

    assert index.content(index.pages["odd.md"]) == "# Odd\n\nnul \ufffd and \ufffd\n"


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DocsIndex(tmp_path / "nowhere", None).refresh()
