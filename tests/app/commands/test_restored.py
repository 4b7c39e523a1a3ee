"""`restored` asks before it ends everything, and tells what it ended."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.clients import restored


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def test_without_a_yes_nothing_ends(runner: CliRunner, tmp_path: Path) -> None:
    result = runner.invoke(restored, input="n\n")

    assert result.exit_code == 1
    assert not (tmp_path / "gateway.sqlite3").exists()


def test_it_tells_what_it_ended(runner: CliRunner) -> None:
    people = runner.invoke(restored, ["--yes"])
    program = runner.invoke(restored, ["--yes", "--keep-keys", "--json"])

    assert (people.exit_code, program.exit_code) == (0, 0), people.stderr + program.stderr
    assert people.stdout.startswith("Ended: 0 connected apps")
    assert json.loads(program.stdout) == {"grants": 0, "sessions": 0, "keys": 0}
