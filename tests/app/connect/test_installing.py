"""One entry of a client's file changes; everything else stays as it is, or nothing is written."""

import json
import stat
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from app.connect.installing import Homes, Unreadable, change, path_of, process, write
from app.connect.recipes import INSTALLED, server

URL = "http://127.0.0.1:8000/mcp"
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HTTP, OLD = {"url": URL}, {"command": "old", "env": {"A": "b"}}


def install(path: Path, client: str = "cursor", entry: dict[str, Any] | None = None) -> Path | None:
    wanted = change(path, INSTALLED[client], entry or server(client, URL))
    return write(wanted, NOW) if wanted.is_needed else None


@pytest.mark.parametrize("client", sorted(INSTALLED))
def test_a_file_that_is_not_there_is_made_for_its_owner_alone(client: str, tmp_path: Path) -> None:
    path = path_of(client, tmp_path, tmp_path / "config", Homes(_env_file=None))

    assert install(path, client) is None

    held = (tomllib.loads if path.suffix == ".toml" else json.loads)(path.read_text("utf-8"))
    assert held == {INSTALLED[client].table: {"minds": server(client, URL)}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir() if each.is_file()] == [path.name]


def test_the_rest_of_a_json_file_stays_in_its_order_indent_and_mode_and_a_copy_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    held = {"z": 1, "mcpServers": {"other": {"url": "https://é.example"}, "minds": OLD}, "a": [0.1, None, True]}
    path.write_text(before := json.dumps(held, indent="\t", ensure_ascii=False), encoding="utf-8")
    path.chmod(0o640)

    backup = install(path)

    assert backup == tmp_path / "mcp.json.20261120T090000.000000Z.bak"
    assert backup.read_text("utf-8") == before
    held["mcpServers"]["minds"] = HTTP  # type: ignore[index]  # it is the object above
    assert path.read_text("utf-8") == json.dumps(held, indent="\t", ensure_ascii=False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("client", sorted(INSTALLED))
def test_the_second_time_nothing_is_to_be_done(client: str, tmp_path: Path) -> None:
    path = path_of(client, tmp_path, tmp_path / "config", Homes(_env_file=None))
    install(path, client)

    assert not change(path, INSTALLED[client], server(client, URL)).is_needed


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {,}}',
        '{"servers": {} /* mine}',
        '{"servers": []}',
        "[]",
        '{"a": 1, "a": 2}',
        '{"a": 1, /* twice */ "a": 2,}',
        "\xff",
    ],
)
def test_json_that_would_lose_something_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(Unreadable):
        change(path, INSTALLED["vscode"], server("vscode", URL))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "{new}"),
        ('model = "x"', 'model = "x"\n\n{new}'),
        ("# mine\n[mcp_servers.other] # too\nurl='u'\n", "# mine\n[mcp_servers.other] # too\nurl='u'\n\n{new}"),
        ('[mcp_servers.minds]\ncommand="x"\n\n# mine\n[tui]\nx = 1\n', "{new}\n# mine\n[tui]\nx = 1\n"),
        (
            '[a]\n[ mcp_servers."minds" ]\ncommand="x"\n[mcp_servers.minds.env]\nA="b"\n\n# mine\n[mcp_servers.b]\n',
            "[a]\n{new}\n# mine\n[mcp_servers.b]\n",
        ),
    ],
)
def test_of_a_toml_file_no_character_outside_the_table_changes(before: str, after: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(before, encoding="utf-8")

    install(path, "codex")

    assert path.read_text("utf-8") == after.format(new=f'[mcp_servers.minds]\nurl = "{URL}"\n')


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {a = {url = "x"}}',
        '[mcp_servers]\nminds = {url = "x"}',
        "mcp_servers = 1",
        "a = ",
        'x="""\n[mcp_servers.minds]\n"""',
    ],
)
def test_toml_that_would_lose_something_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(Unreadable):
        change(path, INSTALLED["codex"], HTTP)


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "kept" / "mcp.json", tmp_path / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    link.symlink_to(real)

    install(link)

    assert link.is_symlink()
    assert json.loads(real.read_text("utf-8")) == {"mcpServers": {"minds": HTTP}}


def test_where_the_file_cannot_be_put_in_its_place_nothing_is_left_beside_it(tmp_path: Path) -> None:
    wanted = change(tmp_path / "mcp.json", INSTALLED["cursor"], HTTP)
    wanted.path.mkdir()  # what was a file when it was read

    with pytest.raises(OSError):
        write(wanted, NOW)

    assert [*tmp_path.iterdir()] == [wanted.path]


def test_each_system_has_its_own_places() -> None:
    home, usual = Path("/home/ada"), Homes(_env_file=None)
    linux, mac = Unix(roaming=True).user_config_path, MacOS(roaming=True).user_config_path

    assert path_of("vscode", home, linux, usual) == linux / "Code/User/mcp.json"
    assert path_of("claude", home, mac, usual).parts[-4:] == (
        "Library",
        "Application Support",
        "Claude",
        "claude_desktop_config.json",
    )
    assert path_of("codex", home, linux, usual) == home / ".codex/config.toml"


def test_where_a_client_was_told_to_keep_its_files_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.setenv(name, "/elsewhere")

    found = {path_of(client, Path("/home/ada"), Path("/config"), Homes()).as_posix() for client in INSTALLED}

    assert {each for each in found if each.startswith("/elsewhere/")} == {
        "/elsewhere/.claude.json",
        "/elsewhere/config.toml",
        "/elsewhere/.gemini/settings.json",
    }


@pytest.mark.parametrize(
    ("client", "named"),
    [("cursor", "${env:MINDSAI_API_KEY}"), ("gemini", "$MINDSAI_API_KEY"), ("vscode", None), ("codex", None)],
)
def test_over_stdio_the_key_is_named_and_not_written_unless_it_was_given(
    client: str, named: str | None, tmp_path: Path
) -> None:
    entry = process(client, tmp_path)

    assert entry["env"].get("MINDSAI_API_KEY") == named
    assert entry.get("env_vars") == (["MINDSAI_API_KEY"] if client == "codex" else None)
    assert process(client, tmp_path, "minds_key")["env"]["MINDSAI_API_KEY"] == "minds_key"
    assert Path(entry["command"]).is_absolute()
