"""The tab of browsers that are signed in: which they are, and how they are signed out from here."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from app.account.tabs import PATH, Action, Tab, Visit
from oauth.errors import Unknown
from oauth.grants import Session
from oauth.primitives import secrets


def public_id(session: Session) -> str:
    """A name that the page may show: neither the secret nor its digest can be told from it."""
    return secrets.digest(session.digest)


class SessionsTab(Tab):
    path, template = f"{PATH}/sessions", "account_sessions.html"

    @property
    def forms(self) -> dict[str, Action]:
        return {"/sessions/end": self._end, "/sessions/end-others": self._end_others}

    async def values(self, visit: Visit) -> dict[str, Any]:
        others = [{"id": public_id(each), "session": each} for each in await self._others(visit)]
        return {"this": visit.session, "others": others}

    async def _end(self, visit: Visit) -> Response:
        named = [each for each in await self._others(visit) if public_id(each) == visit.sent.get("session")]
        if not named:
            raise Unknown("That browser is signed out already. Those that are signed in are listed below.")
        return await self._ended(visit, named)

    async def _end_others(self, visit: Visit) -> Response:
        return await self._ended(visit, await self._others(visit))

    async def _others(self, visit: Visit) -> list[Session]:
        listed = await self.stores.sessions.list_sessions(visit.user.id, self.now())
        return [each for each in listed if each.digest != visit.session.digest]

    async def _ended(self, visit: Visit, ended: Sequence[Session]) -> Response:
        for each in ended:
            await self.stores.sessions.end_session(each.digest)
            self.activity.note(visit.user.id, "session_ended", client_name=each.browser)
        return self.back()
