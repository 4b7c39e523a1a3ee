"""The options of `python -m mcp_server.stdio`: they come before the environment."""

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from pydantic_settings import BaseSettings

FIELDS = {"docs_root": "docs_root", "project": "assistant_project", "name": "assistant_name"}
"""Options that set what a toolset reads, and its settings' fields."""


@dataclass(frozen=True)
class Options:
    """What the command line says: for the process, and for whichever toolset has a setting of that name."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    toolsets: Mapping[str, Any] = field(default_factory=dict)

    def problems(self, own: Collection[BaseSettings]) -> list[str]:
        """Options that no served toolset takes."""
        known = {name for settings in own for name in type(settings).model_fields}
        strange = (name for name, field in FIELDS.items() if field in self.toolsets.keys() - known)
        return [f"--{name.replace('_', '-')}: no toolset that is served takes it" for name in strange]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """In one line, without the usage: clients keep it in a file, where a line is an event."""
        self.exit(2, f"{self.prog}: {message}; --help lists the options\n")


def read_options(arguments: Sequence[str]) -> Options:
    """Exits with 2 and one line where they are wrong, and with 0 after `--help`."""
    parser = _Parser(
        prog="python -m mcp_server.stdio",
        description="Serve MCP over standard input and output.",
        epilog="Commands: login, logout (each has --help). Every option comes before its environment variable.",
    )
    parser.add_argument("--toolsets", metavar="A,B", help="toolsets to serve, comma-separated (TOOLSETS)")
    parser.add_argument("--docs-root", metavar="DIR", type=_folder, help="folder of Markdown files (DOCS_ROOT)")
    parser.add_argument("--data-dir", metavar="DIR", type=_folder, help="where indexes and files are kept (DATA_DIR)")
    parser.add_argument("-p", "--project", metavar="ID", help="the one documentation to ask (ASSISTANT_PROJECT)")
    parser.add_argument("-n", "--name", help="what it is called (ASSISTANT_NAME)")
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    toolsets = {field: given.pop(name) for name, field in FIELDS.items() if name in given}
    return Options(given, toolsets)


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return folder
