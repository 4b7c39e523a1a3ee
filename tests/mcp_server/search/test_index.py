"""Which pages are found, and in which order."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_server.search.index import Entry, SearchIndex

PAGES = (
    Entry("limits.md", "Rate limits", "Windows\nHeaders", "limits.md", "Each caller has a sliding window in Redis."),
    Entry("redis.md", "Redis", "", "redis.md", "The store of rate counters. Limits are elsewhere."),
    Entry("cases.md", "Use cases", "UC-2-002 Sign in\nUC-2-003 Sign out", "cases.md", "`--dry-run`, `snake_case`."),
    Entry("cases3.md", "More cases", "UC-3-002 Pay", "cases3.md", "Pay with UC 2 and then 002."),
    Entry("munich.md", "München", "", "munich.md", "Café und Straße; createPanel makes one."),
    Entry("chinese.md", "文档", "", "zh/chinese.md", "如何搜索文档。"),
)


@pytest.fixture
def index() -> Iterator[SearchIndex]:
    found = SearchIndex()
    found.write(PAGES)
    yield found
    found.close()


def keys(index: SearchIndex, query: str) -> list[str]:
    return [hit.key for hit in index.search(query, 10)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("rate limits", "limits.md"),
        ("how are limits counted with a sliding window", "limits.md"),
        ("UC-2-002", "cases.md"),
        ("--dry-run", "cases.md"),
        ("snake_case", "cases.md"),
        ("munchen cafe", "munich.md"),
        ("create panel", "munich.md"),
        ("搜索", "chinese.md"),
        ("slidng windw", "limits.md"),
        ("chinese", "chinese.md"),
    ],
)
@pytest.mark.requirement("seed:servemd:search-order", "seed:servemd:no-grep")
def test_the_page_that_is_meant_comes_first(index: SearchIndex, query: str, first: str) -> None:
    assert keys(index, query)[0] == first


def test_a_phrase_is_found_where_its_words_follow_each_other_and_nowhere_else(index: SearchIndex) -> None:
    assert keys(index, '"rate counters"') == ["redis.md"]


def test_what_nobody_wrote_is_not_found(index: SearchIndex) -> None:
    assert keys(index, "zzzzqqqq") == []


def test_the_snippet_is_a_part_of_the_page_around_the_match_and_scores_fall(index: SearchIndex) -> None:
    hits = index.search("sliding window limits", 10)

    assert "sliding window" in hits[0].snippet
    assert hits[0].snippet in PAGES[0].body
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score < 1 for hit in hits)


def test_a_page_is_replaced_and_removed(index: SearchIndex) -> None:
    index.write([Entry("redis.md", "Valkey", data=b"2")], remove=["limits.md"])

    assert keys(index, "sliding") == []
    assert keys(index, "valkey") == ["redis.md"]
    assert keys(index, "counters") == []
    assert index.kept()["redis.md"] == b"2"


def test_an_index_in_a_file_is_there_at_the_next_start(tmp_path: Path) -> None:
    first = SearchIndex(tmp_path / "index.sqlite3")
    first.write(PAGES)
    first.close()

    second = SearchIndex(tmp_path / "index.sqlite3")

    assert keys(second, "sliding")[0] == "limits.md"
    second.close()


@pytest.mark.parametrize("content", [b"this is no database, whatever it says" * 99, b""])
def test_a_broken_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "index.sqlite3"
    file.write_bytes(content)

    index = SearchIndex(file)
    index.write(PAGES)

    assert keys(index, "sliding")[0] == "limits.md"
    index.close()


def test_an_index_of_an_older_schema_is_made_anew(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "index.sqlite3") as connection:
        connection.execute("CREATE TABLE pages(what)")
    connection.close()

    index = SearchIndex(tmp_path / "index.sqlite3")

    assert index.kept() == {}
    index.close()


def test_threads_may_search_and_write_at_once(index: SearchIndex) -> None:
    wrong: list[Exception] = []

    def work(number: int) -> None:
        try:
            index.write([Entry(f"{number}.md", f"Page {number}", body="sliding window")])
            assert index.search("sliding", 20)
        except Exception as fault:  # noqa: BLE001  whatever it is, the test tells it
            wrong.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert len(index.kept()) == len(PAGES) + 8
