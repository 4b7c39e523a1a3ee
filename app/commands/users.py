"""`users`: the accounts of the embedded sign-in."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from app.commands.output import day, iso, print_json, print_table
from app.commands.work import run
from mcp_server.audit.entries import Entry, Event
from oauth.flows import accounts
from oauth.models import User
from oauth.primitives.clock import utc_now


@click.group
def users() -> None:
    """Accounts: create, list, disable, enable."""


@users.command
@click.option("--email", required=True, metavar="EMAIL", help="The address to sign in with.")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin instead of asking.")
@click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")
def create(email: str, *, password_stdin: bool, as_json: bool) -> None:
    """Create an account. The password is asked for, twice; it has at least 10 characters."""
    password = _password(from_stdin=password_stdin)
    _report(
        "Created",
        run(lambda store: accounts.create_user(store, email, password, utc_now()), _audited(Event.USER_CREATED)),
        as_json=as_json,
    )


@users.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print the accounts as JSON.")
def list_users(*, as_json: bool) -> None:
    """List the accounts."""
    found: Sequence[User] = run(lambda store: store.list_users())
    if as_json:
        print_json([_as_json(user) for user in found])
        return
    rows = [[user.email, user.id, day(user.created_at, ""), day(user.disabled_at, "no")] for user in found]
    print_table(["EMAIL", "ID", "CREATED", "DISABLED"], rows)


@users.command
@click.argument("email")
@click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")
def disable(email: str, *, as_json: bool) -> None:
    """Stop an account and all its keys, and end its sign-ins and connected apps, in every process."""
    _report(
        "Disabled",
        run(lambda store: accounts.disable_user(store, email, utc_now()), _audited(Event.USER_DISABLED)),
        as_json=as_json,
    )


@users.command
@click.argument("email")
@click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")
def enable(email: str, *, as_json: bool) -> None:
    """Let a disabled account and its API keys work again; apps and browsers sign in anew."""
    _report(
        "Enabled", run(lambda store: accounts.enable_user(store, email), _audited(Event.USER_ENABLED)), as_json=as_json
    )


def _audited(event: Event) -> Callable[[User], Entry]:
    return lambda user: Entry(event, subject=user.id)


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return _read_line_end_aside()
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password; use --password-stdin.")
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return password


def _read_line_end_aside() -> str:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise click.UsageError("The password on stdin is not UTF-8 text.") from None
    return text.removesuffix("\n").removesuffix("\r")  # the line end of `echo` is not part of it


def _report(done: str, user: User, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_json(user))
    else:
        click.echo(f"{done} {user.email} ({user.id})")


def _as_json(user: User) -> dict[str, Any]:
    return {
        "id": user.id,
        "email": user.email,
        "createdAt": iso(user.created_at),
        "disabledAt": iso(user.disabled_at),
    }
