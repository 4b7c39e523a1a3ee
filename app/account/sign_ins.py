"""The tabs of how the account is signed in to: its passkeys, and the browsers that are signed in."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from app.account.tabs import PATH, Action, Tab, Visit
from oauth.endpoints.login import login_address
from oauth.endpoints.pages import PASSKEY_SCRIPT_PATH
from oauth.errors import AccessDenied, Unacceptable, Unknown
from oauth.flows.passkeys import MAX_NAME_LENGTH
from oauth.grants import Session
from oauth.primitives import secrets

RECENT = timedelta(minutes=10)
"""After a sign-in: later a browser that was left open would be where somebody else adds a passkey of theirs."""


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


class PasskeysTab(Tab):
    path, template, script = f"{PATH}/passkeys", "account_passkeys.html", PASSKEY_SCRIPT_PATH

    @property
    def forms(self) -> dict[str, Action]:
        return {"/passkeys": self._add, "/passkeys/remove": self._remove}

    async def values(self, visit: Visit) -> dict[str, Any]:
        if visit.user.password_hash is None:
            raise Unknown("You sign in with an account of somebody else: add a passkey to that one.")
        passkeys, now = self.oauth.passkeys, self.now()
        can_add = passkeys.is_offered and now - visit.session.signed_in_at < RECENT
        return {
            "held": await passkeys.store.list_passkeys(visit.user.id),
            "is_offered": passkeys.is_offered,
            # Its ticket is of now, so whoever comes back with it has proven who they are a moment ago.
            "ceremony": await passkeys.begin_creation(visit.user, visit.secret, now) if can_add else None,
            "again": login_address(self.oauth.signed_in.returning.seal(self.path, now)),
            "name": visit.sent.get("name") or "" if visit.is_form else "",
            "longest": MAX_NAME_LENGTH,
        }

    async def _add(self, visit: Visit) -> Response:
        try:
            await self.oauth.passkeys.create(visit.user, visit.sent, visit.secret, self.now())
        except AccessDenied as refusal:  # by what the authenticator answered, not by who asks
            raise Unacceptable(str(refusal)) from None
        return self.back()

    async def _remove(self, visit: Visit) -> Response:
        await self.oauth.passkeys.remove(visit.user, visit.sent.require("id"))
        return self.back()
