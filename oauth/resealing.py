"""After a rotation of the installation's secret: what the database keeps sealed is sealed under the present one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, select, update

from oauth.flows.api_keys import PURPOSE as LINKED_KEY
from oauth.primitives.sealing import Sealer, Tampered
from oauth.signing_keys import PURPOSE as SIGNING_KEY
from oauth.stores.base import Store
from oauth.stores.tables import linked_keys, signing_keys

SEALED: Sequence[tuple[Column[Any], Column[Any], Callable[[str], str]]] = (
    (signing_keys.c.kid, signing_keys.c.private, lambda _kid: SIGNING_KEY),
    (linked_keys.c.user_id, linked_keys.c.sealed, lambda user_id: LINKED_KEY + user_id),
)
"""For each: by what its row is found, the column that is sealed, and for which purpose."""


@dataclass(frozen=True, slots=True)
class Resealed:
    """`unreadable` ones were sealed under a secret that is not known here; they stay as they are."""

    resealed: int = 0
    unreadable: int = 0


async def reseal(store: Store, sealer: Sealer, now: datetime) -> Resealed:
    """Seal everything anew. What somebody replaces meanwhile is left alone: it is sealed under the present secret."""
    resealed = unreadable = 0
    for known_by, column, purpose in SEALED:
        for row in await store.read(select(known_by, column)):
            known, old = map(str, row.values())
            try:
                opened = sealer.open(purpose(known), old, max_age=None, now=now)
            except Tampered:
                unreadable += 1
                continue
            fresh = sealer.seal(purpose(known), opened, now)
            statement = update(column.table).where(known_by == known, column == old).values({column: fresh})
            resealed += await store.write(statement)
    return Resealed(resealed, unreadable)
