"""What tests of subscriptions need: the toolset `notes` beside the product's own, and a writer elsewhere."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_server import toolsets
from tests.notes_file import write
from tests.processes import ROOT, environment

FOLDER = Path(__file__).resolve().parent / "toolsets"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of the notes, with one in it; and `notes` is a toolset like all others."""
    file = tmp_path / "notes.sqlite"
    write(file, "first", "one")
    monkeypatch.setenv("NOTES_FILE", str(file))
    toolsets.__path__.append(str(FOLDER))
    yield file
    toolsets.__path__.remove(str(FOLDER))
    for name in [name for name in sys.modules if name.startswith("mcp_server.toolsets.notes")]:
        del sys.modules[name]


async def write_elsewhere(file: Path, slug: str, text: str) -> None:
    """Write in another process, as another worker would."""
    arguments = ("-m", "tests.notes_file", str(file), slug, text)
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, env=environment())
    assert await process.wait() == 0
