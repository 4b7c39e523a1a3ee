"""A misspelt name is told, and what belongs to other software is left alone."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from app.__main__ import root
from app.commands.work import misspelt


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"),
        ("SITE_ULR", "SITE_URL"),
        ("RATE_LIMT_TOOLS", "RATE_LIMIT_TOOLS"),
        ("INTERNAL_API_EXPORT_HOUR", "INTERNAL_API_EXPORT_HOURS"),
        ("MINDSAI_API_KEYS", "MINDSAI_API_KEY"),
        ("llm_modle", "LLM_MODEL"),
    ],
)
def test_a_name_that_misses_a_setting_by_a_slip_is_told_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: str, meant: str
) -> None:
    expected = [f"unknown setting {written.upper()}: did you mean {meant}?"]

    with monkeypatch.context() as environment:
        environment.setenv(written, "hunter2")
        assert misspelt() == expected
    (tmp_path / ".env").write_text(f"{written}=hunter2\n")
    assert misspelt() == expected


@pytest.mark.parametrize(
    "foreign",
    [
        "DATABASE_URI", "REDIS_URI", "LOGLEVEL", "VITE_URL", "POST", "SORT", "GHOST", "SITEURL", "XDG_DATA_DIRS",
        "SQLALCHEMY_DATABASE_URI", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TIMEOUT",
        "OTEL_RESOURCE_ATTRIBUTES", "OTEL_LOG_LEVEL", "REDIS_PORT", "REDIS_HOST", "SECRET", "PORTS", "HOSTNAME",
        "DEBUGGER", "OPENAI_API_KEY", "DOCTOR_API_KEY", "SUPABASE_KEY", "SUPABASE_SERVICE_KEY", "GITHUB_TOOLSETS",
    ],
)  # fmt: skip
def test_what_other_software_reads_stops_nothing(monkeypatch: pytest.MonkeyPatch, foreign: str) -> None:
    monkeypatch.setenv(foreign, "1")

    assert misspelt() == []


def test_beside_the_right_name_a_like_one_is_somebody_else_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URLS", "1")
    assert misspelt()

    monkeypatch.setenv("DATABASE_URL", "sqlite:///x")
    assert misspelt() == []


def test_in_the_file_of_settings_each_unknown_name_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORTS=1\nELSEWHERE=hunter2\nPORT=9000\nMINDSAI_API_KEY=k\nLLM_MODEL=m\nEMPTY=\n")

    assert misspelt() == [
        "unknown setting ELSEWHERE: .env is for settings of this gateway",
        "unknown setting PORTS: did you mean PORT?",
    ]


@pytest.mark.parametrize("command", [("serve",), ("users", "list"), ("check",)])
def test_every_command_that_reads_settings_stops_with_one_line(command: tuple[str, ...]) -> None:
    done = CliRunner().invoke(root(), command, env={"DATABSE_URL": "postgresql://u:hunter2@h/d", "DATA_DIR": "x"})

    assert done.exit_code in {1, 2}
    assert [
        line for line in done.output.splitlines() if "unknown setting DATABSE_URL: did you mean DATABASE_URL?" in line
    ]
    assert "hunter2" not in done.output
