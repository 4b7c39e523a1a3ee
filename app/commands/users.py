"""`users`: the accounts of the embedded sign-in."""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import click

from app.commands.output import answer, day, print_json, print_table
from app.commands.work import run
from mcp_server.audit.entries import Entry, Event
from oauth.errors import Unacceptable
from oauth.flows import accounts
from oauth.models import User
from oauth.primitives.clock import utc_now
from oauth.primitives.passwords import check_length
from oauth.stores.accounts import AccountStore

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")


@click.group
def users() -> None:
    """Accounts: create, list, disable, enable."""


@users.command
@click.option("--email", required=True, metavar="EMAIL", help="The address to sign in with.")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin instead of asking.")
@as_json_option
def create(email: str, *, password_stdin: bool, as_json: bool) -> None:
    """Create an account. The password is asked for, twice; it has at least 10 characters."""
    password = _password(from_stdin=password_stdin)
    _change(Event.USER_CREATED, lambda store: accounts.create_user(store, email, password, utc_now()), as_json)


@users.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print the accounts as JSON.")
def list_users(*, as_json: bool) -> None:
    """List the accounts."""
    found = run(lambda stores: stores.accounts.list_users())
    if as_json:
        print_json([_as_json(user) for user in found])
        return
    rows = [[user.email, user.id, day(user.created_at, ""), day(user.disabled_at, "no")] for user in found]
    print_table(["EMAIL", "ID", "CREATED", "DISABLED"], rows)


@users.command
@click.argument("email")
@as_json_option
def disable(email: str, *, as_json: bool) -> None:
    """Stop an account and all its keys, and end its sign-ins and connected apps, in every process."""
    _change(Event.USER_DISABLED, lambda store: accounts.disable_user(store, email, utc_now()), as_json)


@users.command
@click.argument("email")
@as_json_option
def enable(email: str, *, as_json: bool) -> None:
    """Let a disabled account and its API keys work again; apps and browsers sign in anew."""
    _change(Event.USER_ENABLED, lambda store: accounts.enable_user(store, email), as_json)


def _change(event: Event, action: Callable[[AccountStore], Awaitable[User]], as_json: bool) -> None:  # noqa: FBT001  the option of each command
    user = run(lambda stores: action(stores.accounts), lambda changed: Entry(event, subject=changed.id))
    answer(_as_json(user), f"{event.removeprefix('user')} {user.email} ({user.id})", as_json=as_json)


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise click.UsageError("The password on stdin is not UTF-8 text.") from None
        return text.removesuffix("\n").removesuffix("\r")  # the line end of `echo` is not part of it
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password; use --password-stdin.")
    password: str = click.prompt(
        "Password", hide_input=True, confirmation_prompt=True, err=True, value_proc=_of_fair_length
    )
    return password


def _of_fair_length(password: str) -> str:
    """The password, which is asked for again at once when it will not do: nobody repeats it in vain."""
    try:
        check_length(password)
    except Unacceptable as refusal:
        raise click.UsageError(str(refusal)) from None
    return password


def _as_json(user: User) -> dict[str, Any]:
    return {"id": user.id, "email": user.email, "createdAt": user.created_at, "disabledAt": user.disabled_at}
