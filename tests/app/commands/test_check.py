"""`check`: all problems at once, for people and for programs, and nothing is started."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.commands.check import check
from app.settings import Settings
from tests.processes import free_port


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command with these settings."""

    def run(*arguments: str, **settings: str) -> Result:
        for name in Settings.model_fields:
            monkeypatch.delenv(name.upper(), raising=False)
        for name, value in {"DATA_DIR": str(tmp_path / "var"), "PORT": str(free_port()), **settings}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        return CliRunner().invoke(check, arguments)

    return run


def test_everything_that_stops_a_start_is_told_at_once_and_where_all_is_well_it_says_so(told: Any) -> None:
    fine, result = (
        told(),
        told("--workers", "2", "--json", SITE_URL="https://a.example", DEBUG="true", HOST="192.0.2.1"),
    )

    report = json.loads(result.stdout)
    assert (result.exit_code, report["ok"]) == (1, False)
    stopping = {finding["setting"] for finding in report["findings"] if finding["stops"]}
    assert stopping == {"REDIS_URL", "DEBUG", "EMBEDDED_SIGN_IN", "HOST"}
    assert (fine.exit_code, fine.stdout) == (0, "A server would start.\n")


def test_values_that_cannot_be_read_are_named_and_nothing_else_is_tried(told: Any, tmp_path: Path) -> None:
    result = told(TOOLSETS="personas,nothing", BREAKER_FAILURES="many", SECRET_KEY="short")

    assert result.exit_code == 1
    assert {line.split()[1] for line in result.stdout.splitlines() if line.startswith("stops")} == {
        "TOOLSETS:",
        "BREAKER_FAILURES:",
        "SECRET_KEY:",
    }
    assert "short" not in result.stdout
    assert not (tmp_path / "var").exists()


def test_a_warning_does_not_stop(told: Any) -> None:
    unaudited = told(SITE_URL="https://a.example", EMBEDDED_SIGN_IN="false", AUDIT_SINK=",", TRUSTED_PROXIES="10.0.0.1")
    result = told("--json", REDIS_URL="redis://127.0.0.1:1/0")

    warning, verdict = unaudited.stdout.splitlines()
    assert (unaudited.exit_code, verdict) == (0, "A server would start.")
    assert warning.startswith("warns  AUDIT_SINK: ")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["ok"]) == (0, True)
    assert [finding["setting"] for finding in report["findings"]] == ["REDIS_URL"]
