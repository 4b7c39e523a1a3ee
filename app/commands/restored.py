"""`restored`: to be said once after a backup of the database was put back."""

from dataclasses import asdict

import click

from app.commands.output import print_json
from app.commands.work import run_on_stores
from oauth.primitives.clock import utc_now


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
    ended = run_on_stores(lambda stores: stores.end_everything(utc_now(), keys=not keep_keys))
    if as_program:
        print_json(asdict(ended))
    else:
        click.echo(f"Ended: {ended.grants} connected apps, {ended.sessions} browser sessions, {ended.keys} API keys.")
