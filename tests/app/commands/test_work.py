"""Around every command: what is wrong with the environment is told, without its secrets."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.__main__ import root


def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> Result:
    monkeypatch.chdir(tmp_path)
    return CliRunner().invoke(
        root(), ["users", "list"], env={"DATA_DIR": str(tmp_path), "DATABASE_URL": ""} | environment
    )


def test_a_database_in_the_data_directory_is_made_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = call(tmp_path, monkeypatch, DATA_DIR=str(tmp_path / "new" / "place"))

    assert called.exit_code == 0, called.output
    assert (tmp_path / "new" / "place" / "gateway.sqlite3").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "http"), ("DATABASE_URL", "mysql://u:hunter2@h/d"), ("REDIS_URL", "hunter2")]
)
def test_an_impossible_setting_ends_with_2_and_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    refused = call(tmp_path, monkeypatch, **{name: value})

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"Error: {name}: ")
    assert len(refused.stderr.splitlines()) == 1
    assert "hunter2" not in refused.output


@pytest.mark.parametrize(
    ("url", "named"), [("postgresql://ada:hunter2@127.0.0.1:1/gateway", "127.0.0.1:1"), ("", "gateway.sqlite3")]
)
def test_a_database_that_cannot_be_used_ends_with_1_and_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, named: str
) -> None:
    (tmp_path / "gateway.sqlite3").write_text("no database, but long enough to have a header of its own" * 100)

    failed = call(tmp_path, monkeypatch, DATABASE_URL=url)

    assert (failed.exit_code, failed.stdout) == (1, "")
    assert len(failed.stderr.splitlines()) == 1
    assert (named in failed.stderr, "hunter2" in failed.output) == (True, False)
