"""`doctor` as it is called."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.__main__ import root
from tests import processes
from tests.app.doctor.conftest import say_yes


def doctor(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(root(), ["doctor", *arguments], env=environment)


def test_it_ends_with_0_unless_a_client_that_was_asked_for_is_kept_out(gateways: str) -> None:
    healthy, one_out = doctor(f"{gateways}/healthy/mcp"), doctor(f"{gateways}/no-cors/mcp")
    not_asked = doctor(f"{gateways}/no-cors/mcp", "--client", "cursor", "--client", "claude", "--json")

    assert [each.exit_code for each in (healthy, one_out, not_asked)] == [0, 1, 0]
    assert healthy.stdout.splitlines()[1] == "8 of 11 clients can connect, 3 not decided."
    assert "cannot connect: MCP Inspector" in one_out.stdout
    assert [client["name"] for client in json.loads(not_asked.stdout)["clients"]] == ["claude", "cursor"]


def test_a_wrong_path_is_answered_with_the_address_that_was_meant(gateways: str) -> None:
    for typed in ("", "/", "/healthy/mpc"):
        done = doctor(f"{gateways}{typed}", "--client", "cursor", "--client", "vscode")

        assert done.exit_code == 1
        assert done.stdout.count(f"-> Did you mean {gateways}/mcp?") == 1
        assert "`resource`" not in done.stdout


def test_on_a_terminal_the_report_has_colours_and_elsewhere_none(gateways: str) -> None:
    arguments = ["doctor", f"{gateways}/healthy/mcp", "--client", "cursor"]
    plain, coloured = (CliRunner().invoke(root(), arguments, color=each).stdout for each in (False, True))

    assert "\x1b[32mok" in coloured
    assert "\x1b[" not in plain


def test_a_registration_is_announced_before_it_is_made_and_nothing_where_nobody_registers(gateways: str) -> None:
    url = f"{gateways}/healthy/mcp"

    assert "--no-register" in doctor(url, "--client", "cursor").stderr
    assert doctor(url, "--no-register").stderr == doctor(url, "--client", "chatgpt").stderr == ""


def test_a_key_comes_from_its_own_variable_and_is_not_shown(gateways: str) -> None:
    done = doctor(f"{gateways}/healthy/mcp", "--client", "cursor", DOCTOR_API_KEY="key-of-healthy")
    of_stdio = doctor(f"{gateways}/healthy/mcp", "--client", "cursor", MINDSAI_API_KEY="key-of-healthy")

    assert "tools/call: `count` answered" in done.stdout
    assert "key-of-healthy" not in done.output
    assert "nobody signed in" in of_stdio.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("gateway.example/mcp",),
        ("ftp://gateway.example/mcp",),
        ("https://user:word@gateway.example/mcp",),
        ("https://gateway.example/mcp#part",),
        ("https://gateway.example/mcp", "--client", "netscape"),
        ("https://gateway.example/mcp", "--login", "--no-register"),
        ("https://gateway.example/mcp", "--client-id", "desk"),
        ("http://gateway.example/mcp", "--login"),
        ("http://gateway.example/mcp", "--api-key", "s3cret"),
        ("https://gateway.example/mcp", "--api-key", "two\nlines"),
        ("https://gateway.example/mcp", "--timeout", "0"),
    ],
)
def test_bad_usage_ends_with_2_before_anything_is_asked(arguments: tuple[str, ...]) -> None:
    done = doctor(*arguments)

    assert done.exit_code == 2
    assert "s3cret" not in done.output


def test_a_sign_in_is_completed_in_the_browser_that_opens_the_printed_address(gateways: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "doctor", f"{gateways}/healthy/mcp", "--login", "--json"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=processes.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        say_yes(next(line.strip() for line in process.stderr if line.startswith("http")))
        report = json.loads(process.stdout.read())

    steps = {finding["step"]: finding["status"] for finding in report["clients"][-1]["findings"]}
    assert process.returncode == 0
    assert {steps[step] for step in ("sign-in", "token", "tools/call", "refresh", "revoke", "after revoking")} == {"ok"}
