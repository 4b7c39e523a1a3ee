"""`users`: the accounts of the embedded sign-in, their passwords and their end."""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import click
from sqlalchemy.ext.asyncio import AsyncEngine

from app.commands.output import answer, as_table, day
from app.commands.work import Mistake, read_settings, run, run_on_engine
from app.internal_api.store.studies import delete_owned
from app.oauth_wiring import OAUTH_KEY
from mcp_server.audit.entries import Entry, Event
from oauth.errors import Unacceptable
from oauth.flows import accounts, passwords
from oauth.models import User
from oauth.primitives.clock import utc_now
from oauth.primitives.passwords import check_length
from oauth.primitives.sealing import Sealer
from oauth.stores import Stores
from oauth.stores.accounts import AccountStore

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")


@click.group
def users() -> None:
    """Accounts and their passwords: create, list, disable, delete, set, reset."""


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
    rows = [[user.email, user.id, day(user.created_at, ""), day(user.disabled_at, "no")] for user in found]
    text = as_table(["EMAIL", "ID", "CREATED", "DISABLED"], rows)
    answer(list(map(_as_json, found)), text, as_json=as_json)


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


@users.command
@click.argument("email")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json_option
def delete(email: str, *, yes: bool, as_json: bool) -> None:
    """Delete an account with its keys, connected apps, personas, groups and panels. The audit log keeps its rows."""
    if not yes:
        click.confirm(f"Everything of {email} will be gone for good. Go on?", abort=True, err=True)

    async def delete_data(engine: AsyncEngine) -> None:
        owner = await accounts.disable_user(AccountStore(engine), email, utc_now())
        await delete_owned(engine, owner.id)

    run_on_engine(read_settings(), delete_data)
    _change(Event.USER_DELETED, lambda store: accounts.delete_user(store, email, utc_now()), as_json)


@users.command
@click.argument("email")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin instead of asking.")
@as_json_option
def set_password(email: str, *, password_stdin: bool, as_json: bool) -> None:
    """Set the password of an account. Its browsers are signed out; connected apps and keys go on working."""
    password = _password(from_stdin=password_stdin)

    async def action(store: AccountStore) -> User:
        user = await accounts.require_user(store, email)
        await passwords.set_password(store, user, password)
        return user

    _change(Event.PASSWORD_CHANGED, action, as_json, "Set the password of")


@users.command
@click.argument("email")
@click.option("--json", "as_json", is_flag=True, help="Print the link as JSON.")
def reset_link(email: str, *, as_json: bool) -> None:
    """Print a link for the owner of an account, who sets a new password with it: once, within 30 minutes."""
    settings, made_at = read_settings(), utc_now()
    if not settings.signs_in_itself:
        raise Mistake("EMBEDDED_SIGN_IN: is off, so nobody signs in here with a password.")

    async def action(stores: Stores) -> tuple[User, str]:
        user, sealer = await accounts.require_user(stores.accounts, email), Sealer(*settings.secrets(OAUTH_KEY))
        links = passwords.PasswordLinks(stores.accounts, sealer, settings.site_url)
        return user, links.make(user, made_at)

    user, link = run(action, lambda made: Entry(Event.PASSWORD_LINK_MADE, subject=made[0].id))
    expires = made_at + passwords.LIFETIME
    answer({"email": user.email, "link": link, "expiresAt": expires}, link, as_json=as_json)
    click.echo(f"For {user.email} alone: whoever opens it first, by {day(expires, '')}, sets the password.", err=True)


def _change(event: Event, action: Callable[[AccountStore], Awaitable[User]], as_json: bool, done: str = "") -> None:  # noqa: FBT001  the option of each command
    user = run(lambda stores: action(stores.accounts), lambda changed: Entry(event, subject=changed.id))
    answer(_as_json(user), f"{done or event.removeprefix('user')} {user.email} ({user.id})", as_json=as_json)


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
