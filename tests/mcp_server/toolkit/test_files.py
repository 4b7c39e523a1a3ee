"""What is put on the shelf is there for its time and no longer, and nothing else is ever touched."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolkit.files import GRACE, LONGEST_NAME, FileStore, LocalFiles, safe_name, timestamp
from tests.support import Clock

HOUR = 3_600


def shelf(folder: Path, clock: Clock, **more: Any) -> FileStore:
    return FileStore(folder, **{"lifetime": HOUR, "now": clock, **more})


def there(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "exports").glob("*/*") if not path.name.startswith("."))


def test_what_was_put_is_found_again_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    clock = Clock()
    kept = shelf(tmp_path / "var", clock).put("a.csv", "text/csv", b"1;2")

    found = shelf(tmp_path / "var", clock).find(kept.id, "a.csv")

    assert found == kept
    assert (kept.path.read_bytes(), kept.media_type, kept.expires) == (b"1;2", "text/csv", clock.now + HOUR)
    everything = [tmp_path / "var" / "exports", *(tmp_path / "var" / "exports").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in everything} == {0o700, 0o600}
    assert len({shelf(tmp_path, clock).put("a.csv", "text/csv", b"").id for _ in range(5)}) == 5


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("{id}", "b.csv"),
        ("{id}", ".media-type"),
        ("{id}", "../{id}/a.csv"),
        ("{id}", ""),
        ("{id}", "."),
        ("{id}", ".."),
        ("{id}", "a.csv\0"),
        ("{id}", "a.csv/"),
        ("{id}", "x" * 300),
        ("{id}", "folder"),
        ("0" * 32, "a.csv"),
        ("..", "secret"),
        (".", "secret"),
        ("", "secret"),
        ("../exports/{id}", "a.csv"),
        ("{ID}", "a.csv"),
    ],
)
def test_nothing_else_is_found(tmp_path: Path, identity: str, name: str) -> None:
    full = shelf(tmp_path, Clock())
    kept = full.put("a.csv", "text/csv", b"1")
    (tmp_path / "secret").write_text("x")
    (tmp_path / "exports" / "secret").write_text("x")
    (kept.path.parent / "folder").mkdir()

    filled = identity.replace("{id}", kept.id).replace("{ID}", kept.id.upper().replace("0", "A"))

    assert full.find(filled, name.replace("{id}", kept.id)) is None


def test_a_file_goes_when_its_time_and_the_grace_are_over(tmp_path: Path) -> None:
    clock = Clock()
    full = shelf(tmp_path, clock)
    full.put("old.csv", "text/csv", b"1")
    clock.now += 60
    full.put("new.csv", "text/csv", b"1")

    clock.now += HOUR + GRACE - 60
    full.sweep()
    assert there(tmp_path) == ["new.csv", "old.csv"]
    clock.now += 1
    full.sweep()
    assert there(tmp_path) == ["new.csv"]
    clock.now += 60
    full.sweep()
    assert list((tmp_path / "exports").iterdir()) == []


def test_the_oldest_go_first_when_there_is_too_much_or_there_are_too_many(tmp_path: Path) -> None:
    clock = Clock()
    narrow = shelf(tmp_path / "narrow", clock)
    narrow.most_files = 3
    for number in range(6):
        narrow.put(f"{number}.csv", "text/csv", b"")
        clock.now += 1
    assert there(tmp_path / "narrow") == ["3.csv", "4.csv", "5.csv"]

    small = shelf(tmp_path, clock)
    small.most_bytes = 1_000
    for name in ("a", "b", "c", "d"):
        small.put(f"{name}.csv", "text/csv", b"x" * 300)
        clock.now += 1

    assert there(tmp_path) == ["b.csv", "c.csv", "d.csv"]
    small.put("huge.csv", "text/csv", b"x" * 5_000)
    assert there(tmp_path) == ["huge.csv"]


def test_what_is_not_the_shelfs_own_is_never_touched(tmp_path: Path) -> None:
    clock = Clock()
    full = shelf(tmp_path, clock)
    full.most_files = 1
    kept = full.put("a.csv", "text/csv", b"1")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    exports = tmp_path / "exports"
    (exports / "notes.txt").write_text("x")
    (exports / ("f" * 32)).symlink_to(outside)
    (exports / "backup").mkdir()
    (exports / "backup" / "precious").write_text("x")
    (exports / ("a" * 31)).mkdir()
    (kept.path.parent / "link").symlink_to(outside / "precious")
    (tmp_path / "internal.key").write_text("x")
    for path in exports.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)

    full.sweep()

    assert not kept.path.exists()
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("precious")} == {
        "exports/backup/precious",
        "outside/precious",
    }
    assert (exports / "notes.txt").exists()
    assert (exports / ("f" * 32)).is_symlink()
    assert (exports / ("a" * 31)).is_dir()
    assert (tmp_path / "internal.key").exists()


def test_a_draft_that_was_left_behind_goes_with_time(tmp_path: Path) -> None:
    clock = Clock()
    draft = tmp_path / "exports" / f".{'0' * 32}"
    draft.mkdir(parents=True)
    (draft / "half.csv").write_text("1")
    os.utime(draft, (clock.now, clock.now))

    shelf(tmp_path, clock).sweep()
    assert draft.exists()
    clock.now += HOUR + GRACE + 1
    shelf(tmp_path, clock).sweep()
    assert not draft.exists()


async def test_it_is_swept_from_the_start_until_the_end(tmp_path: Path) -> None:
    clock = Clock()
    shelf(tmp_path, clock).put("old.csv", "text/csv", b"1")
    clock.now += 2 * HOUR

    async with shelf(tmp_path, clock).sweeping(), asyncio.timeout(10):
        while there(tmp_path):  # noqa: ASYNC110  a file that goes is no event
            await asyncio.sleep(0.01)


async def test_a_folder_that_cannot_be_swept_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "exports").write_text("not a folder")

    async with shelf(tmp_path, Clock()).sweeping(), asyncio.timeout(10):
        told = ""
        while "exports_not_swept" not in told:
            told += capsys.readouterr().out
            await asyncio.sleep(0.01)


def test_on_the_same_machine_the_link_is_the_file_itself(tmp_path: Path) -> None:
    files = LocalFiles(FileStore(tmp_path, lifetime=60, now=lambda: 1_795_000_000.5))

    link = asyncio.run(files.publish("Preis/Größe %20.csv", "text/csv", b"a;b"))

    parts = urlsplit(link.url)
    path = Path(unquote(parts.path))
    assert parts.scheme == "file"
    assert (path.name, path.read_bytes()) == ("Preis-Größe %20.csv", b"a;b")
    assert path.is_relative_to(tmp_path / "exports")
    assert link.expires_at == timestamp(1_795_000_060) == "2026-11-18T11:07:40.000Z"


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("Größe 日本.xlsx", "Größe 日本.xlsx"),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("..", "file"),
        ("", "file"),
        (".htaccess", "file.htaccess"),
        (".media-type", "media-type"),
        ("a\r\nb\t c.csv", "a b c.csv"),
        ("a\u202egnp.exe\0.md", "agnp.exe.md"),
        ('C:\\x|"y"?.json', "C--x--y--.json"),
        ("v1. draft, final", "v1. draft, final"),
        ("name.with a longer ending", "name.with a longer ending"),
        ("trailing. .pdf", "trailing.pdf"),
        ("x" * 500 + ".csv", "x" * (LONGEST_NAME - 4) + ".csv"),
        ("é" * 500 + ".csv", "é" * 58 + ".csv"),
        (".pdf", "file.pdf"),
    ],
)
def test_a_name_is_made_safe_and_keeps_its_ending(given: str, safe: str) -> None:
    assert safe_name(given) == safe


@given(st.text(st.characters()) | st.text(alphabet="./\\ \0\n:%aé\u202e", max_size=300))
def test_any_text_becomes_the_name_of_one_visible_file(text: str) -> None:
    name = safe_name(text)

    assert Path(name).name == name
    assert name.isprintable()
    assert not name.startswith((".", " "))
    assert not name.endswith((".", " "))
    assert 0 < len(name.encode()) <= LONGEST_NAME
    assert safe_name(name) == name
