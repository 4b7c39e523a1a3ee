"""The tab of what happened in the account's name: grouped, by kind and app, page by page."""

from typing import Any
from urllib.parse import urlencode

from app.account.shown import TITLES, Line, shown_line
from app.account.tabs import PATH, Tab, Visit
from app.console.calls import CLIENT_ID, SHARED_LINK
from oauth.activity import KINDS, Kind

LINES = 50
AT_ONCE, READS = 250, 8
"""Events that are read at once, and how often for one page: a filter that fits few must not read everything."""


class ActivityTab(Tab):
    path, template = f"{PATH}/activity", "account_activity.html"

    async def values(self, visit: Visit) -> dict[str, Any]:
        names = await self._names(visit.user.id)
        kind = next((kind for kind in KINDS if kind == visit.sent.get("kind")), None)
        app = visit.sent.get("app") if visit.sent.get("app") in names else None
        before = visit.sent.get("before")
        lines, older = await self._lines(visit.user.id, kind, app, before)
        chosen = {name: value for name, value in (("kind", kind), ("app", app)) if value}
        return {
            "is_kept": self.activity.is_kept,
            "lines": [shown_line(line, names) for line in lines],
            "kinds": TITLES["kinds"],
            "apps": sorted(names.items(), key=lambda named: named[1].casefold()),
            "kind": kind,
            "app": app,
            "newest": f"{self.path}?{urlencode(chosen)}" if before else None,
            "older": f"{self.path}?{urlencode({**chosen, 'before': older})}" if older else None,
        }

    async def _lines(
        self, user_id: str, kind: Kind | None, app: str | None, before: str | None
    ) -> tuple[list[Line], str | None]:
        """The lines of one page, and the cursor from which the next goes on."""
        lines: list[Line] = []
        for _ in range(READS):
            events = await self.activity.latest(user_id, AT_ONCE, kinds=[kind] if kind else KINDS, before=before)
            for event in events:
                if app in {None, event.client_id}:
                    if lines and lines[-1].takes(event):
                        lines[-1].add(event)
                    elif len(lines) == LINES:
                        return lines, before
                    else:
                        lines.append(Line(event, event.at))
                before = event.cursor
            if len(events) < AT_ONCE:
                return lines, None
        return lines, before

    async def _names(self, user_id: str) -> dict[str, str]:
        """The apps and keys of the account by id, those that are gone under the name that they had."""
        events = await self.activity.latest(user_id, AT_ONCE, kinds=["account"])
        gone = {event.client_id: event.client_name for event in reversed(events) if event.client_id}
        apps = {app.client_id: app.name for app in await self.apps.list_apps(user_id, self.now())}
        keys = {owned.key.id: owned.key.name for owned in await self.stores.accounts.list_keys(user_id)}
        names = gone | apps | keys | {CLIENT_ID: "this website", SHARED_LINK: "a shared link"}
        return {client_id: name for client_id, name in names.items() if name}
