"""`/shared/{token}`: the result of one question for whoever has its link, to be read and nothing else, for a week."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app.console.calls import SHARED_LINK, CallRefused, content_of
from app.console.live import PASSING
from app.console.results import result_values
from app.console.site import Console, Visitor
from oauth.primitives.sealing import Tampered

PATH = "/shared"
PURPOSE = "shared result of a panel's question"
LIFETIME = timedelta(days=7)
SCOPES = frozenset({"flows:read"})
MOST_TOKEN = 1_000
HEADERS = {"referrer-policy": "no-referrer", "x-robots-tag": "noindex, nofollow"}
GONE = "It was not made here, is older than a week, or what it showed is not there any more. Ask for a new one."


@dataclass(frozen=True, slots=True)
class SharedLink:
    """A link, and until when it works."""

    url: str
    until: datetime


class Sharing:
    """Makes links that need no sign-in, and answers to them. Nothing is kept: all that a link says is sealed in it."""

    def __init__(self, console: Console) -> None:
        self._console, self._oauth, self._sealer = console, console.oauth, console.oauth.sealer
        self.routes = [console.open_page(f"{PATH}/{{token}}", self._show)]

    def link(self, user_id: str, panel_id: str, question_id: str) -> SharedLink:
        """A link to the result of this question, as its owner sees it."""
        end = self._console.now() + LIFETIME
        data = orjson.dumps([user_id, panel_id, question_id, int(end.timestamp())])
        token = self._sealer.seal(PURPOSE, data, self._console.now())
        return SharedLink(f"{self._oauth.settings.site_url}{PATH}/{token}", end)

    async def _show(self, request: Request, visitor: Visitor | None) -> Response:
        now, token = self._console.now(), request.path_params["token"]
        try:
            data = self._sealer.open(PURPOSE, token[:MOST_TOKEN], max_age=LIFETIME, now=now)
        except Tampered:
            return self._gone()
        user_id, panel_id, question_id, end = orjson.loads(data)
        if not await self._oauth.stores.accounts.is_enabled(user_id):
            return self._gone()
        asked = {"panelId": panel_id, "questionId": question_id}
        # Anybody with the link could lock its owner out.
        same: dict[str, Any] = {"scopes": SCOPES, "client_id": SHARED_LINK, "payer": "address"}
        try:
            found = content_of(await self._console.calls.call(user_id, "get_panel_results", asked, **same))
        except CallRefused as refused:
            if refused.code in PASSING:
                raise
            return self._gone()
        values = result_values(found, request.query_params.get("group", ""))
        until = datetime.fromtimestamp(end, UTC)
        page: dict[str, Any] = {"base": request.url.path, "until": until, "viewer": visitor and visitor.shown}
        return self._oauth.pages.render("shared.html", headers=HEADERS, **page, **values)

    def _gone(self) -> Response:
        page = self._oauth.pages.problem("This link does not work", GONE, 404)
        page.headers.update(HEADERS)
        return page
