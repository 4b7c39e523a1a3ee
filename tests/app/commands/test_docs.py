"""`docs index`: built, checked, and described."""

import json
from pathlib import Path

import pytest

from tests.app.commands.conftest import Cli
from tests.mcp_server.toolsets.docs.folder import PAGES, written


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CACHE_ROOT", str(tmp_path / "cache"))
    found = written(tmp_path / "pages")
    monkeypatch.setenv("DOCS_ROOT", str(found))
    return found


def test_the_index_is_built_checked_and_described(cli: Cli, root: Path) -> None:
    before = cli("docs", "index", "validate")
    missing = cli("docs", "index", "info")
    built = json.loads(cli("docs", "index", "build", "--json").stdout)
    again = json.loads(cli("docs", "index", "build", "--json").stdout)
    forced = json.loads(cli("docs", "index", "build", "--force", "--json").stdout)
    info = json.loads(cli("docs", "index", "info", "--json").stdout)

    assert (before.exit_code, missing.exit_code) == (1, 2)
    assert (built["read"], again["read"], forced["read"]) == (len(PAGES), 0, len(PAGES))
    assert (info["version"], info["docs_root"], info["docs_count"]) == ("1.0", str(root), len(PAGES))
    assert info["words"] > 10
    assert info["bytes"] > 1_000


def test_what_has_changed_is_named(cli: Cli, root: Path) -> None:
    cli("docs", "index", "build")
    assert cli("docs", "index", "validate").exit_code == 0
    (root / "new.md").write_text("# New\n", encoding="utf-8")

    changed = cli("docs", "index", "validate", "--json")

    assert (changed.exit_code, json.loads(changed.stdout)) == (1, ["new.md is new"])


def test_a_folder_that_is_not_there_is_one_line(cli: Cli, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCS_ROOT", str(root / "nowhere"))

    result = cli("docs", "index", "build")

    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_wrong_setting_is_one_line(cli: Cli, root: Path) -> None:
    result = cli("docs", "index", "build", MCP_SNIPPET_LENGTH="long")

    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
