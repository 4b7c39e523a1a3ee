"""`manifests`: the documentation sites that the toolset of that name serves."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.output import answer, as_table, day, json_option
from app.commands.work import Mistake, read_settings
from mcp_server.toolsets.manifests.lists import NothingFound
from mcp_server.toolsets.manifests.making import Limits, Maker, state_file, without_query
from mcp_server.toolsets.manifests.models import NAME, Manifest
from mcp_server.toolsets.manifests.store import SUFFIX, ManifestBroken, files, folder_of, read, save
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.web import open_web

Result = TypeVar("Result")
Command = TypeVar("Command", bound=Callable[..., Any])

name_argument = click.argument("name", metavar="NAME")


def crawl_options(command: Command) -> Command:
    usual = Limits()
    for name, kind, default, about in (
        ("delay", click.FloatRange(0, 60), usual.delay, "Seconds between two requests; robots.txt may ask for more."),
        ("max-minutes", click.FloatRange(0, 600), usual.seconds / 60, "Ends a crawl; the next one goes on from there."),
        ("max-depth", click.IntRange(0, 20), usual.depth, "Links that a crawl follows from the first page."),
        ("max-pages", click.IntRange(1, 10_000), usual.pages, "Pages of a crawl."),
    ):
        command = click.option(f"--{name}", type=kind, default=default, show_default=True, help=about)(command)
    return command


@click.group
def manifests() -> None:
    """Documentation sites: add, list, refresh, remove, validate."""


@manifests.command
@name_argument
@click.argument("url")
@crawl_options
@json_option
def add(name: str, url: str, *, as_json: bool, **bounds: float) -> None:
    """Make a manifest NAME of the documentation site at URL: from its llms.txt, else its sitemap, else by a crawl.

    A crawl that was broken off goes on where it was when the same is asked again; `remove` forgets it.
    """
    folder = _folder()
    if not NAME.fullmatch(name):
        raise Mistake("NAME is up to 64 lower-case letters, digits, dots, hyphens and underscores.")
    if not without_query(url, ""):
        raise Mistake("URL is the http or https address of the site, without user name and password.")
    if (folder / f"{name}{SUFFIX}").exists():
        raise Mistake(f"There is a manifest {name}; refresh it, or remove it first.")
    made, is_whole = _run(folder, bounds, lambda maker: maker.make(name, url))
    path = _saved(folder, made, is_whole=is_whole)
    report = {**_about(made), "file": str(path), "complete": is_whole}
    answer(report, f"{name}: {len(made.pages)} pages, by {made.source}, in {path}", as_json=as_json)


@manifests.command(name="list")
@json_option
def list_manifests(*, as_json: bool) -> None:
    """List the manifests. A broken file is named on stderr."""
    found = _read_all()[0]
    shown = [[one.name, one.url, str(len(one.pages)), one.source, day(one.fetched_at, "")] for one in found]
    table = as_table(["NAME", "URL", "PAGES", "BY", "FETCHED"], shown)
    answer([_about(one) for one in found], table, as_json=as_json)


@manifests.command
@click.argument("name", metavar="[NAME]", required=False)
@crawl_options
@json_option
def refresh(name: str | None, *, as_json: bool, **bounds: float) -> int:
    """Make all manifests anew, or NAME; the site is asked whether its llms.txt or sitemap has changed at all.

    A site that fails keeps the manifest that it had; the exit status is then 1.
    """
    chosen = [one for one in _read_all()[0] if name in {None, one.name}]
    if name is not None and not chosen:
        raise Mistake(f"There is no manifest {name}; `manifests list` shows them.")
    reports = [_refreshed(one, bounds) for one in chosen]
    lines = (f"{one['name']}: {one['status']}, {one['pages']} pages{one['reason']}" for one in reports)
    answer(reports, "\n".join(lines), as_json=as_json)
    return int(any(one["status"] == "failed" for one in reports))


def _refreshed(old: Manifest, bounds: dict[str, float]) -> dict[str, Any]:
    folder = _folder()
    report = {"name": old.name, "status": "unchanged", "pages": len(old.pages), "reason": ""}
    try:
        made = _run(folder, bounds, lambda maker: maker.remake(old))
    except Mistake as failure:
        return report | {"status": "failed", "reason": f" as before. {failure.message}"}
    if made is None:
        return report
    _saved(folder, made[0], is_whole=made[1])
    return report | {"status": "updated", "pages": len(made[0].pages)}


@manifests.command
@name_argument
@json_option
def remove(name: str, *, as_json: bool) -> None:
    """Remove the manifest NAME, and what is left of a crawl for it."""
    folder = _folder()
    paths = [path for path in (folder / f"{name}{SUFFIX}", state_file(folder, name)) if path.is_file()]
    if not NAME.fullmatch(name) or not paths:
        raise Mistake(f"There is no manifest {name}; `manifests list` shows them.")
    for path in paths:
        path.unlink()
    answer({"name": name, "removed": True}, f"Removed {name}", as_json=as_json)


@manifests.command
@json_option
def validate(*, as_json: bool) -> int:
    """Read every manifest, and say what is wrong with it. The exit status is 1 where one is broken."""
    found, broken = _read_all()
    rows = [{"file": f"{one.name}{SUFFIX}", "problem": None} for one in found]
    rows += [{"file": file, "problem": problem} for file, problem in broken.items()]
    answer(rows, f"{len(found)} valid, {len(broken)} broken", as_json=as_json)
    return int(bool(broken))


def _folder() -> Path:
    return folder_of(read_settings().data_dir)


def _run(folder: Path, bounds: dict[str, float], action: Callable[[Maker], Awaitable[Result]]) -> Result:
    """Run the action with a guarded client, and show people how far a crawl is."""
    pages, depth, minutes, delay = (bounds[name] for name in ("max_pages", "max_depth", "max_minutes", "delay"))
    limits = Limits(int(pages), int(depth), minutes * 60, delay)
    allow = parse_hosts(",".join(read_settings().fetch_allow_hosts))
    hidden = not sys.stderr.isatty()

    async def with_client() -> Result:
        async with open_web(allow) as web:
            return await action(Maker(web, folder, limits, lambda pages: bar.update(pages - bar.pos)))

    with click.progressbar(length=limits.pages, label="Pages", show_pos=True, file=sys.stderr, hidden=hidden) as bar:
        try:
            return asyncio.run(with_client())
        except NothingFound as nothing:
            raise Mistake(f"No pages were found. {nothing}.") from None
        except OSError as fault:
            raise Mistake(f"{fault.filename or folder}: {fault.strerror}.") from None


def _saved(folder: Path, made: Manifest, *, is_whole: bool) -> Path:
    if not is_whole:
        click.echo("The time was over before the crawl was; `manifests refresh` goes on with it.", err=True)
    return save(folder, made)


def _read_all() -> tuple[list[Manifest], dict[str, str]]:
    """The manifests, and by file name what is wrong with the others, which is said."""
    found: list[Manifest] = []
    broken: dict[str, str] = {}
    for path in files(_folder()):
        try:
            found.append(read(path))
        except ManifestBroken as fault:
            broken[path.name] = str(fault)
            click.echo(f"{path.name}: {fault}", err=True)
    return found, broken


def _about(one: Manifest) -> dict[str, Any]:
    about = {"name": one.name, "url": one.url, "pages": len(one.pages), "source": one.source}
    return about | {"fetchedAt": one.fetched_at}
