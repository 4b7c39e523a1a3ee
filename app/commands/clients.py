"""`clients`: what registered itself at the authorization server, and its end."""

from collections.abc import Sequence
from typing import Any

import click

from app.commands.output import day, iso, print_json, print_table
from app.commands.work import Mistake, run_on_stores
from mcp_server.audit.entries import Entry, Event
from oauth.grants import Client
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
    registered: Sequence[Client] = run_on_stores(lambda stores: stores.clients.list_clients())
    live = [client for client in registered if client.expires_at is None or client.expires_at > now]
    if as_json:
        print_json([_as_json(client) for client in live])
    else:
        print_table(
            ["ID", "NAME", "REDIRECTS", "REGISTERED", "LAST USED", "EXPIRES"], [_row(client) for client in live]
        )


@clients.command
@click.argument("client_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def revoke(client_id: str, *, as_json: bool) -> None:
    """End a client and all that it was granted, in every process.

    The address of a metadata document may be given too: its grants end, and people are asked again.
    """
    if not run_on_stores(
        lambda stores: stores.clients.revoke_client(client_id, utc_now()),
        lambda ended: Entry(Event.CLIENT_REVOKED, client=client_id) if ended else None,
    ):
        raise Mistake("No client has that id and no grant is of it; `clients list` shows the ids.")
    if as_json:
        print_json({"id": client_id, "revoked": True})
    else:
        click.echo(f"Revoked {client_id} and all that it was granted.")


def _row(client: Client) -> list[str]:
    return [
        client.id,
        shown_name(client.name),
        " ".join(client.redirect_uris),
        day(client.created_at, ""),
        day(client.last_used_at, "never"),
        day(client.expires_at, "no"),
    ]


def _as_json(client: Client) -> dict[str, Any]:
    return {
        "id": client.id,
        "name": client.name,
        "redirectUris": list(client.redirect_uris),
        "createdAt": iso(client.created_at),
        "lastUsedAt": iso(client.last_used_at),
        "expiresAt": iso(client.expires_at),
    }
