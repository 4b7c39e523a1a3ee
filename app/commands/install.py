"""`install`: writes the file of an MCP client on this machine, so that the client finds this server."""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from app.commands.output import answer
from app.commands.work import Mistake, read_settings
from app.connect import installing
from app.connect.installing import KEY, Change
from app.connect.recipes import INSTALLED, LOCAL_HOSTS, Recipe, block, server
from oauth.primitives.clock import utc_now

HIDDEN = "minds_…"
KEY_LENGTH = 1_000


@click.command()
@click.argument("client", metavar="CLIENT", type=click.Choice(tuple(INSTALLED)))
@click.option("--url", default="", help="The MCP endpoint of another server than the one that is set up here.")
@click.option("--stdio", is_flag=True, help=f"Let the client start the server itself, with the key in {KEY}.")
@click.option("--key-stdin", is_flag=True, help="With --stdio: read the key from stdin, and put it into the file.")
@click.option("--file", "given", type=click.Path(path_type=Path, dir_okay=False), help="Another file of that client.")
@click.option("--print", "is_dry", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--json", "as_program", is_flag=True, help="Print the outcome as JSON.")
def install(
    client: str, *, url: str, stdio: bool, key_stdin: bool, given: Path | None, is_dry: bool, as_program: bool
) -> None:
    """Write this server, by the name minds, into the file in which CLIENT keeps its MCP servers.

    Everything else in the file stays, and a copy of the file is kept beside it. Done again, it changes nothing. CLIENT
    `claude` is Claude Desktop; Claude on the web needs no file.
    """
    if (stdio and url) or (key_stdin and not stdio):
        raise click.UsageError("--key-stdin goes with --stdio, and --url without it.")
    recipe, key = INSTALLED[client], _key() if key_stdin else ""
    entry = _process(client, key) if stdio else server(client, _endpoint(url) if url else read_settings().resource)
    shown = block(recipe, {**entry, "env": {**entry["env"], KEY: HIDDEN}} if key else entry)
    path = given or installing.own_path(client)
    try:
        wanted = _wanted(path, recipe, entry, shown)
        backup = installing.write(wanted, utc_now()) if wanted.is_needed and not is_dry else None
    except OSError as fault:
        raise click.ClickException(f"{fault.filename or path}: {fault.strerror}. Nothing was changed.") from None
    after = _after(recipe, is_process=stdio, has_key=bool(key))
    report = {"client": client, "file": str(wanted.path), "changed": wanted.is_needed, "block": shown, "next": after}
    report |= {"written": wanted.is_needed and not is_dry, "backup": str(backup) if backup else None}
    if is_dry and not as_program:
        click.echo(f"{wanted.path} {'would get' if wanted.is_needed else 'has already'}:", err=True)
    answer(report, shown if is_dry else "\n".join([*_outcome(wanted, backup), "", *after]), as_json=as_program)


def _endpoint(url: str) -> str:
    """The address of an MCP endpoint; of a bare host, that of the endpoint there."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise click.UsageError("--url is the http or https address of an MCP endpoint, without user name and fragment.")
    if parts.scheme == "http" and parts.hostname not in LOCAL_HOSTS:
        raise click.UsageError("--url is https, unless the server is on this machine: a sign-in would be sent openly.")
    return url if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}/mcp"


def _key() -> str:
    key = sys.stdin.read(KEY_LENGTH).strip()
    if not (key.isascii() and key.isprintable() and key and " " not in key):
        raise Mistake("There is no key on stdin; `keys create` makes one.")
    return key


def _process(client: str, key: str) -> dict[str, Any]:
    if client == "claude" and not key:
        raise Mistake(f"Claude Desktop hands no {KEY} on: use --key-stdin, or leave --stdio out and sign in.")
    return installing.process(client, read_settings().data_dir, key)


def _wanted(path: Path, recipe: Recipe, entry: dict[str, Any], shown: str) -> Change:
    """What to do with the file; where it cannot be changed safely, what a person has to put into it."""
    try:
        return installing.change(path, recipe, entry)
    except installing.Unreadable as fault:
        click.echo(shown)
        form = "TOML" if recipe.file.endswith(".toml") else "JSON without comments"
        problem = f"{path} cannot be read as plain {form}: {fault}."
        raise Mistake(f"{problem} Nothing was written: put the block shown here into it.") from None


def _outcome(wanted: Change, backup: Path | None) -> list[str]:
    if not wanted.is_needed:
        return [f"{wanted.path} has minds already; nothing was changed."]
    return [f"Wrote minds into {wanted.path}.", *([f"The file as it was: {backup}"] if backup else [])]


def _after(recipe: Recipe, *, is_process: bool, has_key: bool) -> list[str]:
    """What is left to the person."""
    restart = f"Next: restart {recipe.client}."
    if not is_process:
        return [restart, *recipe.then]
    return (
        [restart] if has_key else [f"Next: set {KEY} where {recipe.client} is started, then restart {recipe.client}."]
    )
