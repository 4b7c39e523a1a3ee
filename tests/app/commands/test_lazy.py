"""The root of the commands."""

import click
import pytest
from click.testing import CliRunner

from app.__main__ import COMMANDS, LazyCommand, LazyGroup, root


@pytest.fixture
def lazy() -> LazyGroup:
    return LazyGroup({"there": LazyCommand("tests_no_such_module:command", "Is never imported.")}, name="root")


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

    monkeypatch.setattr(LazyCommand, "load", lambda _: ask)

    given_up = CliRunner().invoke(LazyGroup({"ask": LazyCommand("m:ask", "Asks.")}), ["ask"])

    assert given_up.exit_code == 1
    assert "Traceback" not in given_up.output


@pytest.mark.parametrize("name", ["keys", "users"])
def test_every_command_has_help_and_can_answer_in_json(name: str) -> None:
    group = root().get_command(click.Context(root()), name)
    assert isinstance(group, click.Group)
    assert (group.name, group.help) == (name, COMMANDS[name].short_help)
    for command in group.commands.values():
        assert command.help, command.name
        assert "--json" in [option for parameter in command.params for option in parameter.opts], command.name
        assert CliRunner().invoke(root(), [name, str(command.name), "--help"]).exit_code == 0
