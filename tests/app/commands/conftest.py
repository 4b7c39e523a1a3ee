"""The commands, called in this process on a database of the test's own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.engine import URL

from app.__main__ import root

Cli = Callable[..., Result]


@pytest.fixture
def cli(anyio_backend: str, database: URL, migrated: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call a command: `cli("keys", "list", stdin="…")`.

    It names `anyio_backend` because only a test that does may use asynchronous fixtures without being one.
    """
    monkeypatch.chdir(tmp_path)
    environment = {"DATABASE_URL": database.render_as_string(hide_password=False), "DATA_DIR": str(tmp_path)}

    def call(*arguments: str, stdin: str | bytes = "", **extra: str) -> Result:
        return CliRunner().invoke(root(), list(arguments), input=stdin, env=environment | extra)

    return call


@pytest.fixture
def ada(cli: Cli) -> str:
    """The address of an account."""
    made = cli("users", "create", "--email", "ada@example.com", "--password-stdin", stdin="correct horse\n")
    assert made.exit_code == 0, made.output
    return "ada@example.com"
