"""`manifests`: which documentation sites are mounted."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click
from pydantic import TypeAdapter, ValidationError

from app.commands.output import answer, as_table, day
from app.commands.work import Mistake, read_settings
from app.settings import Settings
from mcp_server.toolsets.manifests.crawl import Crawl, Limits
from mcp_server.toolsets.manifests.listing import Known, list_pages, robots_of
from mcp_server.toolsets.manifests.models import Manifest, ManifestName
from mcp_server.toolsets.manifests.store import ManifestStore
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.client import Client
from mcp_server.upstream.fetching import FetchFailed
from mcp_server.upstream.web import open_web

T = TypeVar("T")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")


@click.group
def manifests() -> None:
    """Documentation sites: add, list, refresh, remove, validate."""


@manifests.command
@click.argument("name")
@click.argument("url")
@click.option("--depth", default=4, type=click.IntRange(0, 10), show_default=True, help="Links that a crawl follows.")
@click.option("--pages", default=2_000, type=click.IntRange(1, 20_000), show_default=True, help="Pages of a crawl.")
@click.option("--seconds", default=600, type=click.IntRange(1, 86_400), show_default=True, help="Time of a crawl.")
@json_option
def add(name: str, url: str, depth: int, pages: int, seconds: int, *, as_json: bool) -> None:
    """Mount the documentation site at URL under NAME.

    Its pages are those of its llms.txt, else of its sitemap, else a crawl finds them, which asks robots.txt and stays
    on the site. A crawl that was stopped goes on when the command is given again.
    """
    if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
        raise Mistake("URL must be an http or https address.")
    try:
        TypeAdapter(ManifestName).validate_python(name)
    except ValidationError:
        raise Mistake("NAME is of lower-case letters, digits, dots, dashes and underscores.") from None
    settings, limits = read_settings(), Limits(depth=depth, pages=pages, seconds=seconds)
    manifest = _run(settings, partial(_made, _store(settings), name, url, limits, None))
    if manifest is None:
        raise Mistake("The site gave no list.")
    _store(settings).save(manifest)
    answer(_about(manifest), _sentence(manifest), as_json=as_json)


@manifests.command(name="list")
@json_option
def list_manifests(*, as_json: bool) -> None:
    """List the mounted sites."""
    found = list(_store(read_settings()).load().values())
    rows = [[one.name, one.url, str(len(one.pages)), one.source, day(one.fetched_at, "")] for one in found]
    table = as_table(["NAME", "URL", "PAGES", "BY", "FETCHED"], rows)
    answer([_about(one) for one in found], table if rows else "None yet: manifests add NAME URL", as_json=as_json)


@manifests.command
@click.argument("name", required=False)
@json_option
def refresh(name: str | None, *, as_json: bool) -> None:
    """Ask the sites, or the one of NAME, what has changed. One that does not answer stays as it was."""
    settings = read_settings()
    store = _store(settings)
    told: dict[str, str] = {}
    for manifest in _chosen(store.load(), name):
        known = Known(manifest.listed_at, manifest.etag, manifest.last_modified)
        try:
            fresh = _run(settings, partial(_made, store, manifest.name, manifest.url, Limits(), known))
        except Mistake as mistake:
            told[manifest.name] = mistake.message
            continue
        if fresh is None:
            told[manifest.name] = "unchanged"
        else:
            store.save(fresh)
            told[manifest.name] = f"{len(fresh.pages)} pages, {len(manifest.pages)} before"
    answer(told, "\n".join(f"{one}: {what}" for one, what in told.items()) or "None yet.", as_json=as_json)


@manifests.command
@click.argument("name")
@json_option
def remove(name: str, *, as_json: bool) -> None:
    """Unmount the site of that name."""
    store = _store(read_settings())
    if name not in {path.stem for path in store.folder.glob("*.json")} or not store.remove(name):
        raise Mistake(f"No manifest is named {name}; `manifests list` shows them.")
    answer({"name": name, "removed": True}, f"Removed {name}.", as_json=as_json)


@manifests.command
@json_option
def validate(*, as_json: bool) -> None:
    """Say which manifest files cannot be loaded, and why; exit with 1 where there are any."""
    store = _store(read_settings())
    problems = dict(store.problems())
    sound = f"{len(store.load())} sound"
    answer(problems, "\n".join(f"{file}: {why}" for file, why in problems.items()) or sound, as_json=as_json)
    sys.exit(1 if problems else 0)


async def _made(
    store: ManifestStore, name: str, url: str, limits: Limits, known: Known | None, web: Client
) -> Manifest | None:
    """What the site has now; None where its list says that nothing has changed."""
    robots = await robots_of(web, url)
    listing = await list_pages(web, url, robots, known)
    if listing is not None and listing.is_unchanged:
        return None
    about: dict[str, Any] = {"name": name, "url": url, "fetched_at": datetime.now(UTC)}
    if listing is not None:
        more = {"source": listing.source, "listed_at": listing.url, "pages": listing.pages}
        return Manifest.model_validate({**about, **more, "etag": listing.etag, "last_modified": listing.last_modified})
    with _progress(limits.pages) as told:
        crawl = Crawl(web, url, robots, store.folder / f"{name}.crawl", limits, told)
        pages = await crawl.run()
    if not pages:
        raise FetchFailed("the site has no llms.txt and no sitemap, and a crawl found no page")
    return Manifest.model_validate({**about, "source": "crawl", "listed_at": url, "pages": pages})


class _progress:  # noqa: N801  reads as the statement that it is
    """A bar on a terminal; else nothing."""

    def __init__(self, most: int) -> None:
        self._bar = click.progressbar(length=most, label="Pages", file=sys.stderr) if sys.stderr.isatty() else None

    def __enter__(self) -> Callable[[int, int], None]:
        if self._bar is not None:
            self._bar.__enter__()
        return self._told

    def __exit__(self, *raised: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(*raised)  # type: ignore[arg-type]  # the three that Python gives

    def _told(self, found: int, _waiting: int) -> None:
        if self._bar is not None:
            self._bar.update(found - self._bar.pos)


def _run(settings: Settings, work: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        web = open_web(parse_hosts(",".join(settings.fetch_allow_hosts)))
        try:
            return await work(web)
        finally:
            await web.aclose()

    try:
        return asyncio.run(run())
    except FetchFailed as failed:
        raise Mistake(f"{failed.reason[:1].upper()}{failed.reason[1:]}.") from None


def _store(settings: Settings) -> ManifestStore:
    return ManifestStore(Path(settings.data_dir))


def _chosen(loaded: Mapping[str, Manifest], name: str | None) -> list[Manifest]:
    if name is not None and name not in loaded:
        raise Mistake(f"No manifest is named {name}; `manifests list` shows them.")
    return [loaded[name]] if name is not None else list(loaded.values())


def _about(manifest: Manifest) -> dict[str, Any]:
    about = {"name": manifest.name, "url": manifest.url, "pages": len(manifest.pages), "source": manifest.source}
    return {**about, "fetchedAt": manifest.fetched_at}


def _sentence(manifest: Manifest) -> str:
    return f"{manifest.name}: {len(manifest.pages)} pages by {manifest.source}. Served where TOOLSETS names manifests."
