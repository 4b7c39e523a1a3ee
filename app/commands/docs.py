"""`docs index`: the index of the documentation folder, made before a server needs it."""

import sys
from typing import Any

import click
import orjson
from pydantic import ValidationError

from app.commands.output import answer, json_option
from app.commands.work import Mistake, read_settings
from mcp_server.settings import settings_problems
from mcp_server.toolsets.docs.index import DocsIndex
from mcp_server.toolsets.docs.settings import DocsSettings


@click.group
def docs() -> None:
    """The documentation folder."""


@docs.group
def index() -> None:
    """Its index: build, validate, info."""


@index.command
@click.option("--force", is_flag=True, help="Read every page again.")
@json_option
def build(*, force: bool, as_json: bool) -> None:
    """Build the index, or bring it up to date."""
    opened = _opened(rebuild=force)
    try:
        outcome = opened.refresh()
    except FileNotFoundError as fault:
        raise Mistake(f"{fault}; see DOCS_ROOT.") from None
    told = {"pages": len(opened.pages), "read": outcome.read, "removed": outcome.removed, "file": str(opened.file)}
    opened.close()
    problems = "".join(f"\n{problem}" for problem in opened.problems)
    text = f"{told['pages']} pages, {outcome.read} of them read, in {outcome.seconds:.2f} s: {opened.file}{problems}"
    answer({**told, "seconds": round(outcome.seconds, 3), "problems": opened.problems}, text, as_json=as_json)


@index.command
@json_option
def validate(*, as_json: bool) -> None:
    """Say what the next start would read again; exit with 1 where there is anything."""
    problems = _opened().check()
    answer(problems, "\n".join(problems) or "The index is up to date.", as_json=as_json)
    sys.exit(1 if problems else 0)


@index.command
@json_option
def info(*, as_json: bool) -> None:
    """Say what the index holds."""
    file = _opened().file
    try:
        about: dict[str, Any] = orjson.loads(file.read_bytes()) if file is not None else {}
        pages = about.pop("index")
    except (OSError, ValueError, KeyError):
        raise Mistake("There is no index yet: docs index build.") from None
    assert file is not None  # noqa: S101  it was read
    size = sum(path.stat().st_size for path in file.parent.glob(f"{file.stem}.*"))
    told = {**about, "words": sum(page["word_count"] for page in pages.values()), "bytes": size, "file": str(file)}
    answer(told, "\n".join(f"{name}: {value}" for name, value in told.items()), as_json=as_json)


def _opened(*, rebuild: bool = False) -> DocsIndex:
    try:
        settings = DocsSettings()
    except ValidationError as error:
        raise Mistake("; ".join(settings_problems(error))) from None
    return DocsIndex(settings.root, settings.index_folder(read_settings().data_dir), rebuild=rebuild)
