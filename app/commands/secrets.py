"""`secrets`: a new secret of the installation, and what is stored sealed under it. docs/secrets.md is the runbook."""

from collections.abc import Mapping
from dataclasses import asdict

import click

from app.commands.output import answer
from app.commands.work import Mistake, read_settings, run
from app.oauth_wiring import OAUTH_KEY
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import AUDIT_KEY
from mcp_server.toolkit.secret_file import forget_previous_secrets, rotate_secret
from oauth.primitives.clock import utc_now
from oauth.primitives.sealing import Sealer
from oauth.resealing import Resealed, reseal
from oauth.stores import Stores

ELSEWHERE = (
    "SECRET_KEY is set where the server is started, and is changed there: give it a new value (openssl rand -hex 32),"
    " put the old one into SECRET_KEY_PREVIOUS, restart, and run `secrets reseal`. docs/secrets.md has each step."
)
ROTATED = "New secrets are in {files}. Now restart every process that uses this folder, then run `secrets reseal`."
RESEALED = "Sealed {resealed} stored values anew; {unreadable} are sealed under a secret that is not known here."
NEEDED = "Only `audit verify` still needs SECRET_KEY_PREVIOUS, for rows from before the rotation."


@click.group
def secrets() -> None:
    """The secret of the installation: rotate, reseal."""


@secrets.command
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def rotate(*, as_json: bool) -> None:
    """Put a new secret into DATA_DIR, and keep the old one beside it until `secrets reseal`."""
    settings = read_settings()
    if settings.secret_key is not None:
        raise Mistake(ELSEWHERE)
    files = [OAUTH_KEY, AUDIT_KEY]

    async def action(_stores: Stores) -> Mapping[str, str]:
        for file in files:
            rotate_secret(settings.data_dir, file)
        return {"rotated": ", ".join(files)}

    run(action, lambda done: Entry(Event.SECRET_ROTATED, detail=done))
    named = " and ".join(str(settings.data_dir / file) for file in files)
    answer({"rotated": files}, ROTATED.format(files=named), as_json=as_json)


@secrets.command(name="reseal")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def reseal_stored(*, as_json: bool) -> None:
    """After a rotation and a restart: seal stored values under the new secret, so that the old one opens nothing."""
    settings = read_settings()
    sealer = Sealer(*settings.secrets(OAUTH_KEY))

    async def action(stores: Stores) -> Resealed:
        return await reseal(stores, sealer, utc_now())

    done = run(action, lambda done: Entry(Event.SECRET_ROTATED, detail=asdict(done)))
    if settings.secret_key is None:
        forget_previous_secrets(settings.data_dir, OAUTH_KEY)
    text = RESEALED.format(**asdict(done)) + (f" {NEEDED}" if settings.secret_key_previous else "")
    answer(asdict(done), text, as_json=as_json)
