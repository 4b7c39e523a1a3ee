"""`manifests`: sites are added, refreshed, listed, checked and removed."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.commands.conftest import Cli
from tests.loopback import Reply, reply, serving

LLMS = b"# Docs\n\n- [Start](/start.md)\n- [Settings](/settings.md)\n"


async def on(replies: dict[str, Reply], work: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(replies) as here:
        monkeypatch.setenv("FETCH_ALLOW_HOSTS", here.netloc)
        await asyncio.to_thread(work, here.origin)


async def test_a_site_is_added_refreshed_listed_checked_and_removed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    replies: dict[str, Reply] = {"/llms.txt": reply("200 OK", LLMS, ETag='"1"')}

    def work(origin: str) -> None:
        added = json.loads(cli("manifests", "add", "local", origin, "--json").stdout)
        assert (added["name"], added["pages"], added["source"]) == ("local", 2, "llms.txt")
        replies["/llms.txt"] = reply("304 Not Modified")
        assert "unchanged" in cli("manifests", "refresh", "local").stdout
        replies["/llms.txt"] = reply("200 OK", LLMS + b"- [More](/more.md)\n")
        assert "3 pages, 2 before" in cli("manifests", "refresh").stdout
        assert [row["pages"] for row in json.loads(cli("manifests", "list", "--json").stdout)] == [3]
        assert cli("manifests", "validate").exit_code == 0
        assert cli("manifests", "remove", "local").exit_code == 0
        assert "None yet" in cli("manifests", "list").stdout

    await on(replies, work, monkeypatch)


async def test_a_site_without_lists_is_crawled(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    html = reply("200 OK", b"<title>Home</title><a href='/a'>a</a>", Content_Type="text/html")
    replies: dict[str, Reply] = {"/": html, "/a": reply("200 OK", b"<title>A</title>", Content_Type="text/html")}

    def work(origin: str) -> None:
        added = json.loads(cli("manifests", "add", "local", origin, "--json").stdout)
        assert (added["pages"], added["source"]) == (2, "crawl")

    await on(replies, work, monkeypatch)


async def test_a_site_that_fails_stays_as_it_was(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    replies: dict[str, Reply] = {"/llms.txt": reply("200 OK", LLMS)}

    def work(origin: str) -> None:
        assert cli("manifests", "add", "local", origin).exit_code == 0
        replies["/robots.txt"] = reply("500 Oops")
        assert "answered 500" in cli("manifests", "refresh").stdout
        assert json.loads(cli("manifests", "list", "--json").stdout)[0]["pages"] == 2

    await on(replies, work, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "Bad Name", "https://a.example"),
        ("add", "x", "ftp://a.example"),
        ("add", "x", "http://169.254.169.254/"),
        ("remove", "nothing"),
        ("remove", "../../x"),
        ("refresh", "nothing"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_nothing_is_written(
    cli: Cli, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    result = cli("manifests", *arguments)

    assert result.exit_code != 0
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.rglob("*.json"))


def test_a_broken_file_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/bad.json").write_text('{"name": "other"}', encoding="utf-8")

    result = cli("manifests", "validate", "--json")

    assert (result.exit_code, list(json.loads(result.stdout))) == (1, ["bad.json"])
