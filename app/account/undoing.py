"""What was ended on a tab is taken back: for ten seconds, in the session that did it, and once."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from starlette.responses import Response

from app.account.tabs import Visit
from oauth.errors import Conflict, Unknown
from oauth.factory import OAuth
from oauth.primitives.clock import EPOCH, MILLISECOND
from oauth.primitives.sealing import Stale, Tampered

LIFETIME = timedelta(seconds=10)
COOKIE = "undo"
LATE = "That was more than ten seconds ago, so it stays as it is."
NOTHING = "There is nothing to take back here, or it was taken back already."


@dataclass(frozen=True, slots=True)
class Ended:
    """A key or an app by its id; `at` is to the millisecond when the store says that it ended."""

    kind: Literal["key", "app"]
    id: str
    name: str
    at: datetime


class Undoing:
    """Nothing is stored: what was ended is sealed for the session, in a cookie that goes after ten seconds.

    The cookie only lets the next page show the form; the form brings the same text, and the session's own token.
    """

    def __init__(self, oauth: OAuth, now: Callable[[], datetime]) -> None:
        self._sealer, self._cookies, self._spent = oauth.sealer, oauth.signed_in.cookies, oauth.stores.grants
        self._now = now

    def offer(self, visit: Visit, response: Response, ended: Ended) -> Response:
        """`response`, with which the browser learns what the next page lets it take back."""
        content = [ended.kind, ended.id, ended.name, (ended.at - EPOCH) // MILLISECOND]
        sealed = self._sealer.seal(_purpose(visit), json.dumps(content, ensure_ascii=False).encode(), ended.at)
        self._cookies.set(response, COOKIE, sealed, LIFETIME)
        return response

    def offered(self, visit: Visit, kind: str) -> dict[str, Any] | None:
        """What the page shows of it; None when there is nothing of this kind."""
        sealed = self._cookies.get(visit.request, COOKIE)
        with suppress(Tampered):
            ended = self._open(visit, sealed or "")
            return {"sealed": sealed, "name": ended.name} if ended.kind == kind else None
        return None

    async def take(self, visit: Visit, kind: str) -> Ended:
        """What the form takes back, for the one time that it may.

        Raises `Conflict`: it is too late; `Unknown`: it was taken back before, or ended in another session.
        """
        try:
            ended = self._open(visit, visit.sent.get("undo") or "")
        except Stale:
            raise Conflict(LATE) from None
        except Tampered:
            raise Unknown(NOTHING) from None
        handle = f"{_purpose(visit)} {ended.kind} {ended.id} {ended.at.isoformat()}"
        if ended.kind != kind or not await self._spent.spend(handle, ended.at + LIFETIME):
            raise Unknown(NOTHING)
        return ended

    def close(self, response: Response) -> Response:
        """`response`, after which nothing is offered any more."""
        self._cookies.clear(response, COOKIE)
        return response

    def _open(self, visit: Visit, sealed: str) -> Ended:
        content = self._sealer.open(_purpose(visit), sealed, max_age=LIFETIME, now=self._now())
        kind, ended_id, name, at = json.loads(content)
        return Ended(kind, ended_id, name, EPOCH + at * MILLISECOND)


def _purpose(visit: Visit) -> str:
    """Of this session alone, and so of its account: what another session sealed does not open."""
    return f"undo in session {visit.session.digest}"
