"""`clients`: what registered itself at the authorization server, and its end; `restored`: the end of all."""

from dataclasses import asdict
from typing import Any

import click

from app.commands.output import answer, as_table, day, json_option
from app.commands.work import Mistake, run
from mcp_server.audit.entries import Entry, Event
from oauth.primitives.clock import utc_now
from oauth.primitives.display_names import shown_name


@click.group
def clients() -> None:
    """OAuth clients: list and revoke."""


@clients.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print the clients as JSON.")
def list_clients(*, as_json: bool) -> None:
    """List the registered clients, newest first. One that is not used expires by itself."""
    now = utc_now()
    registered = run(lambda stores: stores.clients.list_clients())
    rows: list[dict[str, Any]] = [
        {
            "id": client.id,
            "name": client.name,
            "redirectUris": list(client.redirect_uris),
            "createdAt": client.created_at,
            "lastUsedAt": client.last_used_at,
            "expiresAt": client.expires_at,
        }
        for client in registered
        if client.expires_at is None or client.expires_at > now
    ]
    shown = [
        [id_, shown_name(name), " ".join(uris), day(created, ""), day(used, "never"), day(expires, "no")]
        for id_, name, uris, created, used, expires in (row.values() for row in rows)
    ]
    head = ["ID", "NAME", "REDIRECTS", "REGISTERED", "LAST USED", "EXPIRES"]
    answer(rows, as_table(head, shown), as_json=as_json)


@clients.command
@click.argument("client_id", metavar="ID")
@json_option
def revoke(client_id: str, *, as_json: bool) -> None:
    """End a client and all that it was granted, in every process.

    The address of a metadata document may be given too: its grants end, and people are asked again.
    """
    if not run(
        lambda stores: stores.clients.revoke_client(client_id, utc_now()),
        lambda ended: Entry(Event.CLIENT_REVOKED, client=client_id) if ended else None,
    ):
        raise Mistake("No client has that id and no grant is of it; `clients list` shows the ids.")
    answer({"id": client_id, "revoked": True}, f"Revoked {client_id} and all that it was granted.", as_json=as_json)


@click.command()
@click.option("--keep-keys", is_flag=True, help="API keys go on working: none was revoked since the backup was made.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_program", is_flag=True, help="Print what was ended as JSON.")
def restored(*, keep_keys: bool, yes: bool, as_program: bool) -> None:
    """End every connected app, browser session, consent and API key, and make new signing keys.

    A backup knows nothing of what was revoked after it was made. Nothing that was issued before is accepted afterwards,
    in no process; people sign in again. Accounts that were disabled since have to be disabled again.
    """
    if not yes:
        click.confirm("Everybody will have to sign in again. Go on?", abort=True, err=True)
    ended = run(lambda stores: stores.end_everything(utc_now(), keys=not keep_keys))
    text = f"Ended: {ended.grants} connected apps, {ended.sessions} browser sessions, {ended.keys} API keys."
    answer(asdict(ended), text, as_json=as_program)
