"""`python -m app`, as a process of its own, and the root of the commands."""

import os
import pkgutil
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.__main__ import COMMANDS, LazyGroup, root

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct horse battery"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DATA_DIR": str(tmp_path)}


def app(environment: dict[str, str], *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]  # options are passed on
        [sys.executable, "-m", "app", *arguments],
        env=environment, cwd=environment["DATA_DIR"], capture_output=True, text=True, timeout=60, check=False,
        **options,
    )  # fmt: skip


def test_a_script_makes_an_account_and_takes_its_key(environment: dict[str, str]) -> None:
    made = app(environment, "users", "create", "--email", "ada@example.com", "--password-stdin", input=PASSWORD)
    key = app(environment, "keys", "create", "--user", "ada@example.com", "--name", "ci", "--expires", "90d")

    assert (made.returncode, key.returncode) == (0, 0), made.stderr + key.stderr
    assert re.fullmatch(r"minds_[0-9a-f]{48}\n", key.stdout)
    assert PASSWORD not in made.stdout + made.stderr


def test_help_imports_neither_the_server_nor_the_database(environment: dict[str, str]) -> None:
    shown = app(environment | {"PYTHONPROFILEIMPORTTIME": "1"}, "--help")

    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in shown.stderr.splitlines()}
    assert shown.returncode == 0
    assert "serve" in shown.stdout
    assert "click" in imported
    assert imported.isdisjoint({"mcp", "oauth", "sqlalchemy", "pydantic", "starlette", "uvicorn"})


def test_the_password_is_asked_for_at_a_terminal_without_being_shown(environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "users", "create", "--email", "ada@example.com"],
        env=environment, cwd=environment["DATA_DIR"], start_new_session=True,
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip

    with process:
        asked = answer(process, ours, "Password: ") + answer(process, ours, "confirmation: ")
        stdout, stderr = process.communicate(timeout=60)
    os.close(theirs)
    os.close(ours)

    assert process.returncode == 0, stderr
    assert stdout.startswith(b"Created ada@example.com")
    assert PASSWORD not in asked + (stdout + stderr).decode()


def answer(process: subprocess.Popen[bytes], terminal: int, question: str) -> str:
    """Type the password once the question has come; before that, the terminal would drop it."""
    assert process.stderr is not None
    asked = ""
    while not asked.endswith(question):
        ready, _, _ = select.select([process.stderr], [], [], 60)
        assert ready, asked
        read = os.read(process.stderr.fileno(), 1)
        assert read, asked
        asked += read.decode()
    os.write(terminal, f"{PASSWORD}\n".encode())
    return asked


@pytest.fixture
def lazy() -> LazyGroup:
    return LazyGroup({"there": ("tests_no_such_module:command", "Is never imported.")}, name="root")


def test_help_imports_no_command_and_a_call_does(lazy: LazyGroup) -> None:
    shown, called, nothing = (CliRunner().invoke(lazy, arguments) for arguments in (["--help"], ["there"], []))

    assert (shown.exit_code, "Is never imported." in shown.stdout) == (0, True)
    assert isinstance(called.exception, ModuleNotFoundError)
    assert (nothing.exit_code, "Is never imported." in nothing.stderr) == (2, True)


def test_an_unknown_command_is_told_in_one_line(lazy: LazyGroup) -> None:
    refused = CliRunner().invoke(lazy, ["thre"])

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1


def test_giving_up_at_a_question_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command
    def ask() -> None:
        click.prompt("Name")

    monkeypatch.setattr(pkgutil, "resolve_name", lambda _: ask)

    given_up = CliRunner().invoke(LazyGroup({"ask": ("m:ask", "Asks.")}), ["ask"])

    assert given_up.exit_code == 1
    assert "Traceback" not in given_up.output


@pytest.mark.parametrize("name", ["keys", "users"])
def test_every_command_has_help_and_can_answer_in_json(name: str) -> None:
    group = root().get_command(click.Context(root()), name)
    assert isinstance(group, click.Group)
    assert (group.name, group.help) == (name, COMMANDS[name][1])
    for command in group.commands.values():
        assert command.help, command.name
        assert "--json" in [option for parameter in command.params for option in parameter.opts], command.name
        assert CliRunner().invoke(root(), [name, str(command.name), "--help"]).exit_code == 0
