"""What a person sees of the audit log, and what the authorization server tells it: the `Activity` of OAuth."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import Any

import orjson
from sqlalchemy import Select, select, union_all
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink, audit_rows
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from oauth.activity import Happening
from oauth.stores.base import answering

WORDS: Mapping[str, Event] = {
    "signed_in": Event.SIGN_IN,
    "sign_in_failed": Event.SIGN_IN_FAILURE,
    "signed_in_by_passkey": Event.PASSKEY_SIGN_IN,
    "signed_out": Event.SIGN_OUT,
    "app_allowed": Event.CONSENT_GIVEN,
    "app_refused": Event.CONSENT_REFUSED,
    "app_disconnected": Event.APP_DISCONNECTED,
    "client_registered": Event.CLIENT_REGISTERED,
    "tokens_issued": Event.TOKEN_ISSUED,
    "tokens_refreshed": Event.TOKEN_REFRESHED,
    "token_reused": Event.TOKEN_REUSED,
    "code_reused": Event.CODE_REUSED,
    "token_revoked": Event.TOKEN_REVOKED,
    "key_created": Event.KEY_CREATED,
    "key_rotated": Event.KEY_ROTATED,
    "key_revoked": Event.KEY_REVOKED,
    "password_changed": Event.PASSWORD_CHANGED,
    "password_link_made": Event.PASSWORD_LINK_MADE,
    "passkey_added": Event.PASSKEY_ADDED,
    "passkey_removed": Event.PASSKEY_REMOVED,
    "passkey_copied": Event.PASSKEY_COPIED,
    "minds_key_linked": Event.KEY_LINKED,
    "minds_key_removed": Event.KEY_UNLINKED,
}
"""What the authorization server says, and what the log calls it."""

UNSEEN = frozenset({"tokens_issued", "tokens_refreshed", "client_registered", "sign_in_failed"})
"""Too many, or nobody's: the page has no room for them."""

SEEN = {str(event): word for word, event in WORDS.items() if word not in UNSEEN}
CALLS = frozenset({Event.TOOL_SUCCESS, Event.TOOL_FAILURE})
CHANGES = frozenset({Event.API_CHANGE})
KINDS: Sequence[Collection[str]] = (CALLS, CHANGES, SEEN)
"""Each has a place of its own: what comes by the hundred must not push out what a person looks for."""


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

    async def latest(self, user_id: str, most: int = 50) -> Sequence[Happening]:
        """What happened in the name of the account, newest first. What waits to be written is written before.

        At most `most` of each of `KINDS`.

        Raises `StoreUnavailable`: the database gave no answer.
        """
        await self._recorder.settle(DatabaseSink.name)
        async with answering(), self._reader.connect() as connection:
            kinds = [await connection.scalars(query(user_id, events, most)) for events in KINDS]
        found = map(orjson.loads, chain(*kinds))
        return [happening(fields) for fields in sorted(found, key=itemgetter("time"), reverse=True)]


def query(user_id: str, events: Collection[str], most: int) -> Select[str]:
    """The newest of each event, and of those the newest.

    Asked for all events at once, a database without statistics sorts every row of the account, and one with them may
    walk through all its calls to find a few other rows. The index answers for one event after the other.
    """
    columns = (audit_rows.c.row, audit_rows.c.time, audit_rows.c.seq)
    order = (audit_rows.c.time.desc(), audit_rows.c.seq.desc())
    each = [
        select(*columns)
        .where(audit_rows.c.subject == user_id, audit_rows.c.event == str(event))
        .order_by(*order)
        .limit(most)
        .subquery()
        for event in sorted(events)
    ]
    found = union_all(*(select(newest) for newest in each)).subquery()
    return select(found.c.row).order_by(found.c.time.desc(), found.c.seq.desc()).limit(most)


def happening(fields: Mapping[str, Any]) -> Happening:
    event, tool = fields["event"], fields.get("tool")
    word = f"tool:{tool}" if event in CALLS else f"api:{tool}" if event in CHANGES else SEEN[event]
    says_why = event in {Event.TOOL_FAILURE, Event.API_CHANGE}
    outcome = fields.get("reason", fields["outcome"]) if says_why else fields["outcome"]
    at = datetime.fromisoformat(fields["time"])
    return Happening(at, word, fields.get("client"), outcome, fields.get("client_name"))
