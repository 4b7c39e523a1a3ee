"""`secrets`: a new secret of the installation, and what is stored sealed under it. docs/secrets.md is the runbook."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import click
from sqlalchemy import Column, select, update

from app.commands.output import answer, json_option
from app.commands.work import Mistake, read_settings, run
from app.oauth_wiring import OAUTH_KEY
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import AUDIT_KEY
from mcp_server.toolkit.secret_file import forget_previous_secrets, rotate_secret
from oauth import signing_keys as ring
from oauth.flows import api_keys
from oauth.primitives.clock import utc_now
from oauth.primitives.sealing import Sealer, Tampered
from oauth.stores import Stores
from oauth.stores.base import Store
from oauth.stores.tables import linked_keys, signing_keys

ELSEWHERE = (
    "SECRET_KEY is set where the server is started, and is changed there: give it a new value (openssl rand -hex 32),"
    " put the old one into SECRET_KEY_PREVIOUS, restart, and run `secrets reseal`. docs/secrets.md has each step."
)
ROTATED = "New secrets are in {}. Now restart every process that uses this folder, then run `secrets reseal`."
RESEALED = "Sealed {resealed} stored values anew; {unreadable} are sealed under a secret that is not known here."
NEEDED = " Only `audit verify` still needs SECRET_KEY_PREVIOUS, for rows from before the rotation."

SEALED: Sequence[tuple[Column[Any], Column[Any], Callable[[str], str]]] = (
    (signing_keys.c.kid, signing_keys.c.private, lambda _kid: ring.PURPOSE),
    (linked_keys.c.user_id, linked_keys.c.sealed, lambda user_id: api_keys.PURPOSE + user_id),
)
"""What is kept sealed: by what its row is found, the column, and the purpose."""


@click.group
def secrets() -> None:
    """The secret of the installation: rotate, reseal."""


@secrets.command
@json_option
def rotate(*, as_json: bool) -> None:
    """Put a new secret into DATA_DIR, and keep the old one beside it until `secrets reseal`."""
    settings = read_settings()
    if settings.secret_key is not None:
        raise Mistake(ELSEWHERE)
    files = [OAUTH_KEY, AUDIT_KEY]

    async def action(_stores: Stores) -> None:
        for file in files:
            rotate_secret(settings.data_dir, file)

    run(action, lambda _: Entry(Event.SECRET_ROTATED, detail={"rotated": files}))
    text = ROTATED.format(" and ".join(str(settings.data_dir / file) for file in files))
    answer({"rotated": files}, text, as_json=as_json)


@secrets.command(name="reseal")
@json_option
def reseal_stored(*, as_json: bool) -> None:
    """After a rotation and a restart: seal stored values under the new secret, so that the old one opens nothing."""
    settings = read_settings()
    sealer = Sealer(*settings.secrets(OAUTH_KEY))
    done = run(lambda stores: reseal(stores, sealer, utc_now()), lambda done: Entry(Event.SECRET_ROTATED, detail=done))
    if settings.secret_key is None:
        forget_previous_secrets(settings.data_dir, OAUTH_KEY)
    answer(done, RESEALED.format(**done) + NEEDED * bool(settings.secret_key_previous), as_json=as_json)


async def reseal(store: Store, sealer: Sealer, now: datetime) -> dict[str, int]:
    """Seal everything anew. What no known secret opens, and what somebody replaces meanwhile, is left alone."""
    done = {"resealed": 0, "unreadable": 0}
    for known_by, column, purpose in SEALED:
        for row in await store.read(select(known_by, column)):
            known, old = map(str, row.values())
            try:
                opened = sealer.open(purpose(known), old, max_age=None, now=now)
            except Tampered:
                done["unreadable"] += 1
                continue
            fresh = sealer.seal(purpose(known), opened, now)
            statement = update(column.table).where(known_by == known, column == old).values({column: fresh})
            done["resealed"] += await store.write(statement)
    return done
