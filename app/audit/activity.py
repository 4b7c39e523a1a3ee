"""What a person sees of the audit log, and what the authorization server tells it: the `Activity` of OAuth."""

import re
import time
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Select, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink, audit_rows
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from oauth.activity import KINDS, Happening, Kind
from oauth.errors import Unacceptable
from oauth.stores.base import answering

EVENT_NAMES = tomllib.loads(Path(__file__).with_name("events.toml").read_text("utf-8"))
WORDS: Mapping[str, Event] = {word: Event(name) for word, name in EVENT_NAMES.items()}
"""What the authorization server says, and what the log calls it."""

UNSEEN = frozenset({"tokens_issued", "tokens_refreshed", "client_registered", "sign_in_failed"})
"""Too many, or nobody's: the page has no room for them."""

SEEN = {str(event): word for word, event in WORDS.items() if word not in UNSEEN}
CALLS = frozenset({Event.TOOL_SUCCESS, Event.TOOL_FAILURE})
CHANGES = frozenset({Event.API_CHANGE})
EVENTS: Mapping[Kind, Collection[str]] = {"tools": CALLS, "changes": CHANGES, "account": SEEN}

CURSOR = re.compile(r"([0-9T:.-]{26}Z)~([0-9]{1,18})~([!-}]{1,40})")
"""Time, number and chain of a row: no two rows have the same."""


class AuditActivity:
    """Reads the table of the database sink. Without that sink there is nothing to show."""

    def __init__(self, recorder: Recorder, engine: AsyncEngine, clock: Callable[[], float] = time.time) -> None:
        self._recorder, self._reader = recorder, engine.execution_options(read_only=True)
        self._clock = clock

    @property
    def is_kept(self) -> bool:
        """Whether the database is among the sinks. What it holds of a time when it was, is old."""
        return any(writer.sink.name == DatabaseSink.name for writer in self._recorder.writers)

    def note(
        self,
        user_id: str | None,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        self._recorder.record(
            Entry(WORDS[event], outcome, subject=user_id, client=client_id, client_name=client_name, time=self._clock())
        )

    async def latest(
        self, user_id: str, most: int = 50, *, kinds: Collection[Kind] = KINDS, before: str | None = None
    ) -> Sequence[Happening]:
        """What happened in the name of the account, newest first. What waits to be written is written before.

        Raises `Unacceptable`: `before` is no cursor; `StoreUnavailable`: the database gave no answer.
        """
        asked = query(user_id, [*chain(*(EVENTS[kind] for kind in kinds))], most, before)
        await self._recorder.settle(DatabaseSink.name)
        async with answering(), self._reader.connect() as connection:
            return [happening(orjson.loads(row)) for row in await connection.scalars(asked)]


def query(user_id: str, events: Collection[str], most: int, before: str | None = None) -> Select[str]:
    """The newest of each event, and of those the newest.

    Asked for all events at once, a database without statistics sorts every row of the account, and one with them may
    walk through all its calls to find a few other rows. The index answers for one event after the other.
    """
    place = audit_rows.c.time, audit_rows.c.seq, audit_rows.c.chain
    mine = select(audit_rows.c.row, *place).where(audit_rows.c.subject == user_id)
    if before is not None:
        # By the time as well, which the index holds: no database looks there for the three at once.
        known = _known(before)
        mine = mine.where(audit_rows.c.time <= known[0], tuple_(*place) < known)
    order = [column.desc() for column in place]
    each = [
        mine.where(audit_rows.c.event == str(event)).order_by(*order).limit(most).subquery() for event in sorted(events)
    ]
    found = union_all(*(select(newest) for newest in each)).subquery()
    return select(found.c.row).order_by(found.c.time.desc(), found.c.seq.desc(), found.c.chain.desc()).limit(most)


def _known(cursor: str) -> tuple[str, int, str]:
    parts = CURSOR.fullmatch(cursor)
    if parts is None:
        raise Unacceptable("That address leads to no place in the activity. Begin with the newest.")
    return parts[1], int(parts[2]), parts[3]


def happening(fields: Mapping[str, Any]) -> Happening:
    event, tool = fields["event"], fields.get("tool")
    word = f"tool:{tool}" if event in CALLS else f"api:{tool}" if event in CHANGES else SEEN[event]
    says_why = event in {Event.TOOL_FAILURE, Event.API_CHANGE}
    outcome = fields.get("reason", fields["outcome"]) if says_why else fields["outcome"]
    at = datetime.fromisoformat(fields["time"])
    cursor = f"{fields['time']}~{fields['seq']}~{fields['chain']}"
    return Happening(at, word, fields.get("client"), outcome, fields.get("client_name"), cursor)
