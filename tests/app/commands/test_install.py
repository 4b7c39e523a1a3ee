"""`install`: what it writes, shows and refuses, as a person sees it."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.__main__ import root

Install = Callable[..., Result]
KEY = "minds_" + "a1" * 24


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """The command, with a home of the test's own."""
    monkeypatch.chdir(tmp_path)
    own = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config"), "DATA_DIR": str(tmp_path / "var")}
    unset: dict[str, str | None] = dict.fromkeys(("CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "SITE_URL"))

    def call(*arguments: str, stdin: str = "") -> Result:
        return CliRunner().invoke(root(), ["install", *arguments], input=stdin, env=unset | own | {"PORT": "8123"})

    return call


def test_it_writes_this_server_says_where_and_what_is_left_to_do(install: Install, tmp_path: Path) -> None:
    result = install("cursor")

    path = tmp_path / ".cursor/mcp.json"
    assert json.loads(path.read_text("utf-8")) == {"mcpServers": {"minds": {"url": "http://127.0.0.1:8123/mcp"}}}
    assert result.exit_code == 0
    assert str(path) in result.stdout
    assert "restart Cursor" in result.stdout
    assert "sign in" in result.stdout


def test_done_again_it_changes_nothing_and_another_server_takes_its_place_with_a_copy(
    install: Install, tmp_path: Path
) -> None:
    install("codex")
    again = json.loads(install("codex", "--json").stdout)
    other = json.loads(install("codex", "--url", "https://mcp.example.com", "--json").stdout)

    path = tmp_path / ".codex/config.toml"
    assert (again["changed"], again["written"], again["backup"]) == (False, False, None)
    assert (other["changed"], other["written"]) == (True, True)
    assert "127.0.0.1:8123" in Path(other["backup"]).read_text("utf-8")
    assert tomllib.loads(path.read_text("utf-8"))["mcp_servers"]["minds"] == {"url": "https://mcp.example.com/mcp"}


def test_printed_is_the_block_alone_and_nothing_is_written(install: Install, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))

    result = install("vscode", "--print")

    assert json.loads(result.stdout)["servers"]["minds"]["type"] == "http"
    assert "mcp.json" in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_comments_of_a_file_stay(install: Install, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text('{\n  // mine\n  "servers": {},\n}\n', encoding="utf-8")

    result = install("vscode", "--file", str(path))

    assert result.exit_code == 0
    assert path.read_text("utf-8").startswith('{\n  // mine\n  "servers": {\n    "minds": {\n')


def test_a_file_that_says_something_twice_is_left_alone_and_the_block_is_shown(
    install: Install, tmp_path: Path
) -> None:
    path = tmp_path / "own.json"
    path.write_text(text := '{\n  // mine\n  "servers": {}, "servers": {}\n}\n', encoding="utf-8")

    result = install("vscode", "--file", str(path))

    assert result.exit_code == 2
    assert "Nothing was written" in result.stderr
    assert json.loads(result.stdout)["servers"]["minds"]["url"].endswith("/mcp")
    assert path.read_text("utf-8") == text


def test_a_key_reaches_the_file_only_when_it_is_given_and_is_never_shown(install: Install, tmp_path: Path) -> None:
    named = install("gemini", "--stdio")
    given = install("claude", "--stdio", "--key-stdin", stdin=f"{KEY}\n")
    shown = install("cursor", "--stdio", "--key-stdin", "--print", stdin=KEY)

    assert (named.exit_code, given.exit_code, shown.exit_code) == (0, 0, 0)
    assert "$MINDSAI_API_KEY" in (tmp_path / ".gemini/settings.json").read_text("utf-8")
    assert "set MINDSAI_API_KEY" in named.stdout
    held = json.loads((tmp_path / ".config/Claude/claude_desktop_config.json").read_text("utf-8"))
    assert held["mcpServers"]["minds"]["env"] == {"MINDSAI_API_KEY": KEY, "DATA_DIR": str(tmp_path / "var")}
    assert KEY not in given.output + shown.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("nobody",),
        ("cursor", "--url", "ftp://a.example"),
        ("cursor", "--url", "http://a.example/mcp"),
        ("cursor", "--url", "https://ada@a.example/mcp"),
        ("cursor", "--url", "https://a.example/mcp", "--stdio"),
        ("cursor", "--key-stdin"),
        ("cursor", "--stdio", "--key-stdin"),
        ("claude", "--stdio"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_nothing_is_written(
    install: Install, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    result = install(*arguments)

    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert [*tmp_path.iterdir()] == []


def test_a_place_that_cannot_be_written_is_named(install: Install, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")

    result = install("cursor", "--file", str(tmp_path / "taken" / "mcp.json"))

    assert result.exit_code == 1
    assert "taken" in result.stderr
