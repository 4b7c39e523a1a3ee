"""`/account`: connected apps, and beside them the other tabs."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.account.activity import ActivityTab
from app.account.keys import KeysTab
from app.account.settings import DeleteOwned, SettingsTab
from app.account.shown import badges
from app.account.sign_ins import PasskeysTab, SessionsTab
from app.account.tabs import PATH, Action, Tab, Visit
from app.account.undoing import Ended, Undoing
from oauth.factory import OAuth
from oauth.primitives.clock import utc_now


class AppsTab(Tab):
    """What each app may do, when it was used, and how it is disconnected."""

    path, template = PATH, "account_apps.html"

    def __init__(self, oauth: OAuth, now: Callable[[], datetime]) -> None:
        super().__init__(oauth, now)
        self._undoing = Undoing(oauth, now)

    @property
    def forms(self) -> dict[str, Action]:
        return {"/apps/disconnect": self._disconnect, "/apps/undo": self._undo}

    async def values(self, visit: Visit) -> dict[str, Any]:
        apps = await self.apps.list_apps(visit.user.id, self.now())
        return {"apps": apps, "badges": badges, "undo": self._undoing.offered(visit, "app")}

    async def _disconnect(self, visit: Visit) -> Response:
        now = self.now()
        app = await self.apps.disconnect(visit.user.id, visit.sent.require("client_id"), now)
        self.activity.note(visit.user.id, "app_disconnected", app.client_id, client_name=app.name)
        return self._undoing.offer(visit, self.back(), Ended("app", app.client_id, app.name, now))

    async def _undo(self, visit: Visit) -> Response:
        ended = await self._undoing.take(visit, "app")
        await self.apps.restore(visit.user.id, ended.id, ended.at)
        self.activity.note(visit.user.id, "app_restored", ended.id, client_name=ended.name)
        return self._undoing.close(self.back())


def account_routes(
    oauth: OAuth, real_api: str | None, delete_owned: DeleteOwned | None, now: Callable[[], datetime] = utc_now
) -> list[Route]:
    """GET of each tab, and the forms on it.

    `real_api` is the address of a real internal API: it decides about keys, and is called with one that the person
    links. With the embedded one keys are made here, and `delete_owned` deletes what an account has there.
    """
    first = AppsTab(oauth, now), KeysTab(oauth, now, real_api), ActivityTab(oauth, now)
    tabs = *first, PasskeysTab(oauth, now), SessionsTab(oauth, now), SettingsTab(oauth, now, real_api, delete_owned)
    return [route for tab in tabs for route in tab.routes]
