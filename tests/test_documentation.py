"""The documents say what is true: settings, commands, tools, errors and links are compared, blocks are run."""

import importlib
import inspect
import json
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from app.__main__ import COMMANDS
from mcp_server import errors
from mcp_server.settings import toolset_names
from mcp_server.toolset import discover
from tests import documents

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("oauth/*.md")])
ERAS = ("2025-11-25", errors.MODERN_ERA_BEGINS)

DERIVED = {"SITE_URL": "http://HOST:PORT", "TOOLSETS": ",".join(toolset.name for toolset in discover())}
"""Defaults that are made from other settings, or found in the tree."""


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def settings_classes() -> list[type[BaseSettings]]:
    modules = [
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        for package in ("app", "oauth", "mcp_server")
        for pattern in ("settings.py", "settings/__init__.py")
        for path in sorted((ROOT / package).rglob(pattern))
    ]
    own = [toolset.settings for toolset in discover(toolset_names()) if toolset.settings is not None]
    return own + [
        value
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, BaseSettings) and value.__module__ == module.__name__
    ]


@pytest.fixture(scope="module")
def settings() -> dict[str, documents.Setting]:
    """Every setting once; where two classes read the same one, the described one counts."""
    found: dict[str, documents.Setting] = {}
    for model in settings_classes():
        for setting in documents.settings(model, DERIVED):
            if not found.get(setting.name, setting).meaning or setting.name not in found:
                found[setting.name] = setting
    return found


def tools() -> list[tuple[str, str]]:
    """Each tool with its toolset."""
    found = ROOT.glob("mcp_server/toolsets/*/tools/*.py")
    return [(path.parent.parent.name, path.stem) for path in found if path.stem != "__init__"]


def gateway_errors() -> list[type[errors.GatewayError]]:
    found = inspect.getmembers(errors, inspect.isclass)
    return [error for _, error in found if issubclass(error, errors.GatewayError)]


def example_of(error: type[errors.GatewayError]) -> errors.GatewayError:
    wants_seconds = "retry_after" in inspect.signature(error).parameters
    return error(1) if wants_seconds else error()  # type: ignore[arg-type]  # the subclass takes seconds


def failure_words() -> set[str]:
    """The stable words of all tool failures, wherever they are defined."""
    words: set[str] = set()
    for path in (ROOT / "mcp_server").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found = inspect.getmembers(importlib.import_module(module), inspect.isclass)
        words |= {c.code for _, c in found if issubclass(c, errors.ToolFailure) and c is not errors.ToolFailure}
    return words


def test_the_page_of_settings_lists_every_setting_with_its_default_and_meaning_and_no_other(
    settings: dict[str, documents.Setting],
) -> None:
    listed = set(documents.rows(SETTINGS))
    named = {row[0].strip("`") for row in listed if re.fullmatch(r"`[A-Z][A-Z0-9_]+`", row[0])}

    assert {(f"`{s.name}`", documents.cell(s.default), s.meaning) for s in settings.values()} - listed == set()
    assert named - set(settings) == set()
    assert [name for name, setting in settings.items() if len(setting.meaning.split()) < 2] == []


def test_the_example_file_holds_every_setting_with_its_default(settings: dict[str, documents.Setting]) -> None:
    lines = [line.removeprefix("# ") for line in page(".env.example").splitlines() if "=" in line]

    assert sorted(lines) == sorted(f"{s.name}={'' if s.name in DERIVED else s.default}" for s in settings.values())


@pytest.mark.parametrize("model", settings_classes(), ids=lambda model: model.__name__)
def test_the_example_file_is_read_and_changes_nothing(
    model: type[BaseSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in documents.names(model):
        monkeypatch.delenv(name, raising=False)
    uncommented = tmp_path / "all.env"
    uncommented.write_text(re.sub(r"^# (?=[A-Z_]+=)", "", page(".env.example"), flags=re.MULTILINE), encoding="utf-8")

    assert model(_env_file=uncommented) == model(_env_file=None)
    assert model.model_config.get("env_file") == ".env"


def test_a_setting_that_two_classes_read_has_one_default() -> None:
    defaults: dict[str, set[str]] = {}
    for model in settings_classes():
        for setting in documents.settings(model, DERIVED):
            defaults.setdefault(setting.name, set()).add(setting.default)

    assert {name: found for name, found in defaults.items() if len(found) > 1} == {}


def test_no_page_names_a_make_target_that_is_not_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", page("Makefile"), re.MULTILINE))
    named = {(p.name, m) for p in PAGES for m in re.findall(r"`make ([a-z-]+)", p.read_text(encoding="utf-8"))}

    assert len(named) > 5
    assert {(name, target) for name, target in named if target not in targets} == set()


def test_the_operations_page_describes_every_command() -> None:
    described = " ".join(documents.column(page("docs/operations.md")))
    loaded = {name: pkgutil.resolve_name(place) for name, (place, _) in COMMANDS.items()}
    visible = {name: command for name, command in loaded.items() if not command.hidden}
    commands = [
        f"{name} {sub}".strip() for name, command in visible.items() for sub in getattr(command, "commands", {"": None})
    ]

    assert [command for command in commands if command not in described] == []


@pytest.mark.requirement("seed:servemd:documentation")
def test_the_readme_and_the_page_of_its_toolset_name_every_tool() -> None:
    assert tools() != []
    assert [tool for _, tool in tools() if tool not in documents.column(README)] == []
    assert [tool for toolset, tool in tools() if f"`{tool}`" not in page(f"docs/{toolset}.md")] == []


def test_the_table_of_errors_is_that_of_the_code_in_both_eras() -> None:
    found = {tuple(cell.strip("`") for cell in row[:4]) for row in documents.rows(page("docs/errors.md"))}
    wanted = {
        (error.name, str(error.http_status), *(str(error.code_for(era)) for era in ERAS))
        for error in map(example_of, gateway_errors())
    }

    assert wanted - found == set()


def test_the_page_of_errors_explains_every_word_that_a_model_may_read() -> None:
    assert failure_words() != set()
    assert failure_words() - set(documents.column(page("docs/errors.md"))) == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_merged_its_links_lead_somewhere_and_its_json_is_json(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert re.search(r"^(?:<{7}|>{7}) ", text, re.MULTILINE) is None
    assert documents.broken_links(path, text) == []
    for block in documents.blocks(text):
        if block.language == "json":
            json.loads(block.body)


def test_every_caveat_that_a_result_may_carry_is_documented() -> None:
    folder = ROOT / "mcp_server/toolsets/panels"
    made = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    given = {"synthetic", *re.findall(r'\b(?:code=|yield )"([a-z_]+)",', made)}

    table = page("docs/panels.md").split("## Caveats")[1].split("\n## ")[0]
    told = {code for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for code in re.findall(r"`(\w+)`", row)}

    assert given == told


def test_the_licence_is_whole_and_named_wherever_somebody_looks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert (project["license"], project["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert licence.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "END OF TERMS AND CONDITIONS" in licence
    assert "(LICENSE)" in README
    assert "LICENSE" in (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")  # the package is built with it
