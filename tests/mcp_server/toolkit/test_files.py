"""A published file has a name that every system takes, and a link that says how long it is good for."""

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolkit.files import LONGEST_NAME, FileStore, LocalFiles, safe_name, timestamp


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
