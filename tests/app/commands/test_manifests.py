"""`manifests`: the commands, on sites of the test's own."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands.conftest import Cli
from tests.loopback import serving
from tests.mcp_server.toolsets.manifests.sites import page, sitemap_of, stripe, written

ROOT = Path(__file__).resolve().parents[3]


async def run(cli: Cli, *arguments: str, allow: str = "") -> Any:
    """Call the command in a thread, so that the site of the test can answer meanwhile."""
    return await asyncio.to_thread(cli, "manifests", *arguments, FETCH_ALLOW_HOSTS=allow)


async def test_a_site_is_added_listed_refreshed_and_removed(cli: Cli, tmp_path: Path) -> None:
    replies: dict[str, Any] = {}
    async with serving(replies) as site:
        replies["/sitemap.xml"] = sitemap_of(f"{site.origin}/a", f"{site.origin}/b")
        added = await run(cli, "add", "mine", f"{site.origin}/?x=1#y", "--delay", "0", "--json", allow=site.netloc)
        twice = await run(cli, "add", "mine", site.origin, allow=site.netloc)
        same = await run(cli, "refresh", "--delay", "0", "--json", allow=site.netloc)
        replies["/sitemap.xml"] = sitemap_of(f"{site.origin}/a", f"{site.origin}/c", f"{site.origin}/d")
        more = await run(cli, "refresh", "mine", "--delay", "0", allow=site.netloc)
        listed = json.loads((await run(cli, "list", "--json")).stdout)
        replies.clear()
        failed = await run(cli, "refresh", "--delay", "0", "--json", allow=site.netloc)
    removed = await run(cli, "remove", "mine")

    report = json.loads(added.stdout)
    assert (report["name"], report["pages"], report["source"], report["complete"]) == ("mine", 2, "sitemap", True)
    assert twice.exit_code == 2
    assert json.loads(same.stdout)[0]["status"] == "unchanged"
    assert more.stdout == "mine: updated, 3 pages\n"
    assert [(row["name"], row["pages"]) for row in listed] == [("mine", 3)]
    assert (failed.exit_code, json.loads(failed.stdout)[0]["status"]) == (1, "failed")
    assert removed.exit_code == 0
    assert list((tmp_path / "manifests").iterdir()) == []


async def test_validate_names_each_broken_file_and_list_passes_it_over(cli: Cli, tmp_path: Path) -> None:
    good = await run(cli, "validate")
    stray = stripe().model_copy(update={"url": "https://elsewhere.example", "name": "stray"})
    written(tmp_path, stripe(), stray)
    (tmp_path / "manifests" / "half.json").write_text('{"name"')
    broken = await run(cli, "validate", "--json")
    listed = await run(cli, "list")

    assert good.exit_code == 0
    assert broken.exit_code == 1
    assert {row["file"]: bool(row["problem"]) for row in json.loads(broken.stdout)} == {
        "stripe.json": False, "half.json": True, "stray.json": True,
    }  # fmt: skip
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["NAME", "stripe"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "../x", "https://one.example"),
        ("add", "x", "file:///etc/passwd"),
        ("add", "x", "https://user:word@one.example"),
        ("add", "x", "http://127.0.0.1:9/"),
        ("remove", "../manifests/x"),
        ("refresh", "x"),
    ],
)
async def test_what_cannot_be_done_is_one_line_and_exit_code_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    result = await run(cli, *arguments)

    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


async def test_a_crawl_whose_time_is_over_is_kept_and_gone_on_with(cli: Cli, tmp_path: Path) -> None:
    async def late(_writer: Any) -> None:
        await asyncio.Event().wait()

    replies: dict[str, Any] = {"/": page("<a href=/a></a><a href=/b></a>"), "/a": late, "/b": page()}
    async with serving(replies) as site:
        first = await run(
            cli, "add", "x", site.origin, "--delay", "0", "--max-minutes", "0.02", "--json", allow=site.netloc
        )
        replies["/a"] = page()
        second = await run(cli, "refresh", "--delay", "0", "--json", allow=site.netloc)

    assert (json.loads(first.stdout)["pages"], json.loads(first.stdout)["complete"]) == (1, False)
    assert json.loads(second.stdout)[0]["pages"] == 3
    assert sorted(path.name for path in (tmp_path / "manifests").iterdir()) == ["x.json"]


@pytest.mark.slow
@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT])
async def test_a_killed_crawl_is_resumed_and_leaves_no_manifest_behind(
    tmp_path: Path, ended_by: signal.Signals
) -> None:
    reached, count = asyncio.Event(), 40

    async def hang(_writer: Any) -> None:
        reached.set()
        await asyncio.Event().wait()

    replies: dict[str, Any] = {"/": page("".join(f"<a href=/{number}></a>" for number in range(count)))}
    replies |= {f"/{number}": page() for number in range(count)} | {"/25": hang}
    async with serving(replies) as site:
        environment = {**os.environ, "DATA_DIR": str(tmp_path), "FETCH_ALLOW_HOSTS": site.netloc}

        async def add() -> asyncio.subprocess.Process:
            command = ["-m", "app", "manifests", "add", "x", site.origin, "--delay", "0"]
            return await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, env=environment)

        process = await add()
        await asyncio.wait_for(reached.wait(), 60)
        process.send_signal(ended_by)
        await process.wait()
        assert [path.name for path in (tmp_path / "manifests").iterdir() if path.suffix == ".json"] == []
        replies["/25"] = page()
        assert await (await add()).wait() == 0

    asked = [path for head in site.heads if (path := head.split(" ")[1]).strip("/").isdigit()]
    assert len(json.loads((tmp_path / "manifests" / "x.json").read_text())["pages"]) == count + 1
    assert len(asked) <= count + 11
