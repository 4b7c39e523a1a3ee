"""`doctor` as it is called."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.__main__ import root
from tests import processes
from tests.app.doctor.conftest import say_yes
from tests.processes import HOST, ROOT, free_port

GATEWAYS = ROOT / "tests" / "app" / "doctor" / "gateways.py"


@pytest.fixture(scope="module")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port, folder = free_port(), tmp_path_factory.mktemp("gateways")
    with processes.serving([str(GATEWAYS), str(port)], port, folder, {}):
        yield f"http://{HOST}:{port}"


def doctor(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(root(), ["doctor", *arguments], env=environment)


def test_a_gateway_that_lets_everybody_in_ends_with_0(gateways: str) -> None:
    done = doctor(f"{gateways}/healthy/mcp")

    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "8 of 11 clients can connect, 3 not decided.")


def test_a_gateway_that_keeps_one_out_ends_with_1(gateways: str) -> None:
    done = doctor(f"{gateways}/no-cors/mcp")

    assert done.exit_code == 1
    assert "[inspector]: cannot connect" in done.stdout


def test_who_is_not_asked_for_keeps_nobody_out(gateways: str) -> None:
    done = doctor(f"{gateways}/no-cors/mcp", "--client", "cursor", "--client", "claude", "--json")

    assert done.exit_code == 0
    assert [client["name"] for client in json.loads(done.stdout)["clients"]] == ["claude", "cursor"]


def test_a_registration_is_announced_before_it_is_made(gateways: str) -> None:
    assert "--no-register" in doctor(f"{gateways}/healthy/mcp", "--client", "cursor").stderr


@pytest.mark.parametrize("arguments", [("--no-register",), ("--client", "chatgpt")])
def test_nothing_is_announced_where_nothing_registers(gateways: str, arguments: tuple[str, ...]) -> None:
    assert doctor(f"{gateways}/healthy/mcp", *arguments).stderr == ""


def test_a_key_comes_from_its_own_variable_and_is_not_shown(gateways: str) -> None:
    done = doctor(f"{gateways}/healthy/mcp", "--client", "cursor", DOCTOR_API_KEY="key-of-healthy")

    assert "tools/call: `count` answered" in done.stdout
    assert "key-of-healthy" not in done.output


def test_the_key_of_the_stdio_server_goes_nowhere(gateways: str) -> None:
    done = doctor(f"{gateways}/healthy/mcp", "--client", "cursor", MINDSAI_API_KEY="key-of-healthy")

    assert "nobody signed in" in done.stdout


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
