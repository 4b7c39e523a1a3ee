"""`audit` from a shell: what it shows, what it finds, and its exit codes."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.__main__ import root
from mcp_server.audit.files import folder_of
from tests.processes import environment


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A shell in an installation of one account, made by a command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    runner = CliRunner()
    create = ["users", "create", "--email", "ada@example.com", "--password-stdin"]
    assert runner.invoke(root(), create, input="a long password").exit_code == 0
    return runner


def run(cli: CliRunner, *arguments: str) -> Result:
    return cli.invoke(root(), ["audit", *arguments])


def test_what_commands_do_is_in_the_log(cli: CliRunner) -> None:
    assert cli.invoke(root(), ["keys", "create", "--user", "ada@example.com", "--name", "laptop"]).exit_code == 0
    assert cli.invoke(root(), ["users", "disable", "ada@example.com"]).exit_code == 0

    shown = run(cli, "tail", "--json").stdout.splitlines()

    events = [json.loads(line)["event"] for line in shown]
    assert [event for event in events if not event.startswith("audit")] == ["userCreated", "keyCreated", "userDisabled"]


@pytest.mark.parametrize("source", ["file", "database"])
def test_tail_shows_the_latest_rows(cli: CliRunner, source: str) -> None:
    lines = run(cli, "tail", "-n", "2", "--source", source).stdout.splitlines()

    assert [line.split()[1] for line in lines] == ["userCreated", "auditEnd"]


def files_in(folder: Path) -> list[Path]:
    return sorted(folder_of(folder / "var").iterdir())


@pytest.mark.security("FI-23")
def test_a_log_is_whole_until_a_row_is_changed_which_is_named_with_exit_code_1(cli: CliRunner, tmp_path: Path) -> None:
    whole = run(cli, "verify")
    path = files_in(tmp_path)[0]
    path.write_bytes(path.read_bytes().replace(b"userCreated", b"userEnabled"))

    result = run(cli, "verify")
    report = json.loads(run(cli, "verify", "--json").stdout)

    assert (whole.exit_code, result.exit_code) == (0, 1)
    assert all(f"{sink}: whole; 3 rows in 1 chains" in whole.stdout for sink in ("file", "database"))
    assert f"altered: {path.name}:2" in result.stdout
    assert [(fault["kind"], fault["seq"]) for fault in report["file"]["faults"]] == [("altered", 1)]
    assert report["database"]["faults"] == []


@pytest.mark.parametrize(("form", "beginning"), [("jsonl", "{"), ("cef", "CEF:0|")])
def test_every_form_is_a_line_for_each_row(cli: CliRunner, form: str, beginning: str) -> None:
    lines = run(cli, "export", "--format", form, "--since", "2020-01-01").stdout.splitlines()

    assert len(lines) == 3
    assert all(line.startswith(beginning) for line in lines)
    assert run(cli, "export", "--until", "2020-01-01T00:00:00Z").stdout == ""


@pytest.mark.usefixtures("cli")
def test_a_reader_that_has_read_enough_is_no_fault_of_the_database(tmp_path: Path) -> None:
    export = [sys.executable, "-m", "app", "audit", "export", "--format", "jsonl"]
    env = environment(DATA_DIR=str(tmp_path / "var"))

    with subprocess.Popen(export, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()

    assert b"database" not in said


def test_a_log_that_is_kept_elsewhere_cannot_be_read_here(cli: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_SINK", "stdout")

    assert [run(cli, command).exit_code for command in ("tail", "verify", "export")] == [2, 2, 2]


def make_key(cli: CliRunner, name: str) -> None:
    assert cli.invoke(root(), ["keys", "create", "--user", "ada@example.com", "--name", name]).exit_code == 0


def missing(cli: CliRunner, sink: str) -> list[int]:
    result = run(cli, "verify", "--json")
    report = json.loads(result.stdout)
    assert [bool(each["faults"]) for each in report.values()].count(True) == result.exit_code
    assert all(fault["kind"] == "missing" for fault in report[sink]["faults"])
    return [fault["seq"] for fault in report[sink]["faults"]]


def empty_the_table(folder: Path) -> None:
    with sqlite3.connect(folder / "var" / "gateway.sqlite3") as connection:
        for table in ("audit_rows", "audit_chains"):
            connection.execute(f"DELETE FROM {table}")


@pytest.mark.security("FI-23")
@pytest.mark.parametrize(("kept", "found"), [((0, 0), [0, 0]), ((3, 0), [0]), ((3, 1), [1])])
def test_files_that_were_erased_or_cut_off_are_missed_by_the_database(
    cli: CliRunner, tmp_path: Path, kept: tuple[int, int], found: list[int]
) -> None:
    make_key(cli, "laptop")
    for path, rows in zip(files_in(tmp_path), kept, strict=True):
        lines = path.read_bytes().splitlines(keepends=True)[:rows]
        path.write_bytes(b"".join(lines)) if lines else path.unlink()

    assert missing(cli, "file") == found


@pytest.mark.security("FI-23")
def test_a_table_that_was_emptied_is_missed_by_the_files(cli: CliRunner, tmp_path: Path) -> None:
    empty_the_table(tmp_path)

    assert missing(cli, "database") == [0]


def test_a_sink_that_was_added_later_misses_nothing(
    cli: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in files_in(tmp_path):
        path.unlink()
    empty_the_table(tmp_path)
    monkeypatch.setenv("AUDIT_SINK", "file")
    make_key(cli, "laptop")
    monkeypatch.setenv("AUDIT_SINK", "file,database")

    assert missing(cli, "database") == []
    make_key(cli, "phone")
    assert missing(cli, "database") == []
