"""`articles`: the knowledge base, to and from Markdown files, and what is published of it."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.article_files import SUFFIX, FileRefused, read, written
from app.commands.output import answer, as_table, day, json_option
from app.commands.work import Mistake, read_settings, run_on_engine
from mcp_server.errors import GatewayError
from mcp_server.toolsets.articles.models import StoredArticle, slug_of
from mcp_server.toolsets.articles.service import Action, Articles, utc_now

Result = TypeVar("Result")

folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))


@click.group
def articles() -> None:
    """The knowledge base: import, export, publish, unpublish, delete, restore, list."""


@articles.command(name="import")
@folder_argument
@json_option
def import_files(folder: Path, *, as_json: bool) -> None:
    """Create or change the articles in the Markdown files of DIR, which have YAML front matter.

    Every file is checked before anything is written, and all of them are written or none.
    """
    if not folder.is_dir():
        raise Mistake(f"{folder} is no folder.")
    found = _checked(folder)

    async def action(service: Articles) -> dict[str, int]:
        with _progress(len(found), "Writing") as bar:
            return await service.put_all(found, lambda: bar.update(1))

    counts = _run(action)
    answer(counts, ", ".join(f"{number} {what}" for what, number in counts.items()), as_json=as_json)


@articles.command(name="export")
@folder_argument
@json_option
def export_files(folder: Path, *, as_json: bool) -> None:
    """Write every article, drafts and deleted ones too, into DIR as SLUG.md; files of that name are replaced."""
    found, total = _run(lambda service: service.page(None, None, 0))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _progress(total, "Writing") as bar:
            for article in found:
                (folder / f"{article.slug}{SUFFIX}").write_text(written(article), encoding="utf-8", newline="")
                bar.update(1)
    except OSError as fault:
        raise Mistake(f"{fault.filename or folder}: {fault.strerror}.") from None
    answer({"exported": total}, f"{total} exported", as_json=as_json)


@articles.command(name="list")
@json_option
def list_articles(*, as_json: bool) -> None:
    """List the articles, the newest first, with drafts and deleted ones."""
    found, _ = _run(lambda service: service.page(None, None, 0))
    rows: list[dict[str, Any]] = [
        {"slug": one.slug, "title": one.title, "state": one.state, "category": one.category, "tags": list(one.tags),
         "publishedAt": one.published_at}
        for one in found
    ]  # fmt: skip
    shown = [[one.slug, one.title, one.state, one.category or "", day(one.published_at, "")] for one in found]
    answer(rows, as_table(["SLUG", "TITLE", "STATE", "CATEGORY", "PUBLISHED"], shown), as_json=as_json)


def _marking(action: Action, about: str) -> click.Command:
    @click.command(name=action, help=about)
    @click.argument("slug", metavar="SLUG")
    @json_option
    def mark(slug: str, *, as_json: bool) -> None:
        article = _run(lambda service: service.mark(slug, action))
        answer({"slug": slug, "state": article.state}, f"{slug}: {article.state}", as_json=as_json)

    return mark


articles.add_command(_marking("publish", "Publish an article, from now on; one that is published keeps its date."))
articles.add_command(_marking("unpublish", "Make a published article a draft again."))
articles.add_command(_marking("delete", "Hide an article from everybody; `restore` brings it back as it was."))
articles.add_command(_marking("restore", "Bring a deleted article back, published if it was."))


def _run(action: Callable[[Articles], Awaitable[Result]]) -> Result:
    try:
        return run_on_engine(read_settings(), lambda engine: action(Articles(engine)))
    except GatewayError as refusal:
        raise Mistake(f"{refusal.sentence or refusal.message}.") from None


def _checked(folder: Path) -> list[StoredArticle]:
    """What all files hold. Raises Mistake, after a line for each fault, where one is refused."""
    paths, now = sorted(folder.rglob(f"*{SUFFIX}")), utc_now()
    files: dict[str, Path] = {}
    found: list[StoredArticle] = []
    faults: list[str] = []
    with _progress(len(paths), "Checking") as bar:
        for path in paths:
            try:
                article = read(path, folder, now)
                slug = article.slug or slug_of(article.title)
                found.append(article)
                if (other := files.setdefault(slug, path)) != path:
                    faults.append(f"{path}:1: has the slug {slug}, as {other} has")
            except (FileRefused, OSError) as fault:
                faults.append(str(fault))
            bar.update(1)
    for line in faults:
        click.echo(line, err=True)
    if faults or not paths:
        refused = f"{len(faults)} of {len(paths)} files were refused" if paths else f"{folder} has no {SUFFIX} files"
        raise Mistake(f"{refused}; nothing was written.")
    return found


def _progress(length: int, label: str) -> AbstractContextManager[Any]:
    """For people only: what reads a pipe sees nothing of it."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty())
