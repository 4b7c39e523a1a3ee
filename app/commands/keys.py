"""`keys`: API keys. A new key is the only thing on stdout, so that a script can take it."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import click

from app.commands.output import answer, as_table, day, json_option
from app.commands.work import Mistake, read_settings, run
from app.settings import Settings
from mcp_server.audit.entries import Entry, Event
from mcp_server.toolset import configured_toolsets
from oauth.errors import Unknown
from oauth.flows import accounts
from oauth.flows import api_keys as flow
from oauth.models import ApiKey, NewKey, OwnedKey, User
from oauth.primitives.clock import utc_now
from oauth.primitives.scopes import parse, written
from oauth.stores import Stores
from oauth.stores.accounts import AccountStore

LONGEST_DAYS = 3650
UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}


def duration(text: str) -> timedelta:
    """An option that takes a duration: `90d`, `24h`, `30m`."""
    written = re.fullmatch(r"([0-9]{1,7})([dhm])", text)
    found = int(written[1]) * UNITS[written[2]] if written else None
    if found is None or found > timedelta(days=LONGEST_DAYS):
        raise click.BadParameter(f"{text!r}: write a duration such as 90d, 24h or 30m, up to {LONGEST_DAYS}d.")
    return found


@click.group
def keys() -> None:
    """API keys: create, list, revoke, rotate."""


@keys.command
@click.option("--user", "email", required=True, metavar="EMAIL", help="The account that the key acts for.")
@click.option("--name", required=True, help="What the key is for; shown in lists.")
@click.option("--scopes", help="What the key allows, space-separated; by default all that the served tools want.")
@click.option("--expires", type=duration, metavar="90d", help="Lifetime (90d, 24h, 30m); never by default.")
@click.option("--json", "as_json", is_flag=True, help="Print the key and what is known of it as JSON.")
def create(email: str, name: str, scopes: str | None, expires: timedelta | None, *, as_json: bool) -> None:
    """Create a key and print it. It is shown this once."""
    toolsets, _ = configured_toolsets(_settings_without_a_real_api())
    wanted = scopes if scopes is not None else written(scope for toolset in toolsets for scope in toolset.scopes)

    async def action(stores: Stores) -> NewKey:
        user = await _owner(stores.accounts, email)
        return await flow.create_key(
            stores.accounts, user, name=name, scopes=parse(wanted), lifetime=expires, now=utc_now()
        )

    _show_once(run(action, _audited(Event.KEY_CREATED)), as_json=as_json)


@keys.command(name="list")
@click.option("--user", "email", metavar="EMAIL", help="Only the keys of this account.")
@click.option("--json", "as_json", is_flag=True, help="Print the keys as JSON.")
def list_keys(email: str | None, *, as_json: bool) -> None:
    """List the keys, newest first. A key is shown by its first and last characters."""

    async def action(stores: Stores) -> Sequence[OwnedKey]:
        return await stores.accounts.list_keys((await _owner(stores.accounts, email)).id if email else None)

    now = utc_now()
    found = [_as_json(owned, now) for owned in run(action)]
    head = ["ID", "KEY", "NAME", "USER", "STATE", "EXPIRES", "LAST USED", "SCOPES"]
    shown = ("id", "key", "name", "user", "state", "expiresAt", "lastUsedAt", "scopes")
    rows = [
        key
        | {"key": f"{key['prefix']}…{key['last4']}"}
        | {name: day(key[name], "never") for name in ("expiresAt", "lastUsedAt")}
        for key in found
    ]
    answer(found, as_table(head, [[row[name] for name in shown] for row in rows]), as_json=as_json)


@keys.command
@click.argument("key_id", metavar="ID")
@json_option
def revoke(key_id: str, *, as_json: bool) -> None:
    """End a key, in every process. Revoking it again changes nothing."""
    key = run(
        lambda stores: flow.revoke_key(stores.accounts, key_id, utc_now()),
        lambda ended: Entry(Event.KEY_REVOKED, subject=ended.user_id, client=ended.id, client_name=ended.name),
    )
    report = {"id": key.id, "name": key.name, "revokedAt": key.revoked_at}
    answer(report, f"Revoked {key.id} ({key.name})", as_json=as_json)


@keys.command
@click.argument("key_id", metavar="ID")
@click.option("--overlap", type=duration, default="24h", show_default=True, help="How long the old key works on.")
@click.option("--expires", type=duration, metavar="90d", help="Lifetime of the new key; by default the old one's.")
@click.option("--json", "as_json", is_flag=True, help="Print the key and what is known of it as JSON.")
def rotate(key_id: str, overlap: timedelta, expires: timedelta | None, *, as_json: bool) -> None:
    """Print a successor of a key. The old key works on for the overlap, and no longer."""
    _settings_without_a_real_api()
    made = run(
        lambda stores: flow.rotate_key(stores.accounts, key_id, overlap=overlap, lifetime=expires, now=utc_now()),
        _audited(Event.KEY_ROTATED),
    )
    _show_once(made, as_json=as_json)


def _audited(event: Event) -> Callable[[NewKey], Entry]:
    return lambda made: Entry(event, subject=made.key.user_id, client=made.key.id, client_name=made.key.name)


async def _owner(store: AccountStore, email: str) -> User:
    try:
        return await accounts.require_user(store, email)
    except Unknown as nobody:
        raise Mistake(f"{nobody} Create it first: users create --email {accounts.fold_email(email)}") from None


def _settings_without_a_real_api() -> Settings:
    settings = read_settings()
    if not settings.is_embedded:
        raise Mistake(f"The Minds API at {settings.mindsai_api_url} decides about keys: make one there.")
    return settings


def _show_once(made: NewKey, *, as_json: bool) -> None:
    answer(_known(made.key) | {"key": made.secret}, made.secret, as_json=as_json)
    click.echo(f"Key {made.key.id} is shown this once; expires: {day(made.key.expires_at, 'never')}.", err=True)


def _known(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": written(key.scopes),
        "createdAt": key.created_at,
        "expiresAt": key.expires_at,
        "rotatedFrom": key.rotated_from,
    }


def _as_json(owned: OwnedKey, now: datetime) -> dict[str, Any]:
    key = owned.key
    return _known(key) | {
        "user": owned.user.email,
        "prefix": key.prefix,
        "last4": key.last4,
        "state": owned.state(now),
        "lastUsedAt": key.last_used_at,
        "revokedAt": key.revoked_at,
    }
