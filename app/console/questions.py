"""The pages of one question: its result, live while it is answered, coding by hand, themes and exports.

`/shared/{token}` is the result for whoever has its link, to be read and nothing else, for a week.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import SHARED_LINK, CallRefused, content_of
from app.console.live import PASSING
from app.console.results import result_values
from app.console.site import Console, Sent, Visitor
from mcp_server.toolkit.attributes import attributes_of
from oauth.endpoints.signed_in import see_other
from oauth.primitives.sealing import Tampered

SHARED_PATH = "/shared"
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
        self.routes = [console.open_page(f"{SHARED_PATH}/{{token}}", self._show)]

    def link(self, user_id: str, panel_id: str, question_id: str) -> SharedLink:
        """A link to the result of this question, as its owner sees it."""
        end = self._console.now() + LIFETIME
        data = orjson.dumps([user_id, panel_id, question_id, int(end.timestamp())])
        token = self._sealer.seal(PURPOSE, data, self._console.now())
        return SharedLink(f"{self._oauth.settings.site_url}{SHARED_PATH}/{token}", end)

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


PANEL = "/panels/{panel}"
PATH = f"{PANEL}/questions/{{question}}"
FORMATS = {"pdf": "PDF", "xlsx": "Excel", "csv": "CSV", "md": "Markdown", "json": "JSON"}


class QuestionPages:
    """GET /panels/{panel}/questions/{question} and what is done there."""

    def __init__(self, console: Console, sharing: Sharing) -> None:
        self._console, self._sharing = console, sharing
        self.routes: list[Route] = [
            console.page(f"{PANEL}/export", self._export),
            console.page(PATH, self._question),
            console.page(f"{PATH}/live", self._live),
            console.page(f"{PATH}/export", self._export),
            console.form(f"{PATH}/answers", self._code),
            console.form(f"{PATH}/themes", self._revise),
        ]

    async def _question(self, request: Request, visitor: Visitor) -> Response:
        by = _by(request)
        try:
            return await self._shown(request, visitor, by=by)
        except CallRefused as refused:
            if not by:
                raise
            return await self._shown(request, visitor, refused)

    async def _shown(
        self, request: Request, visitor: Visitor, refused: CallRefused | None = None, by: list[str] | None = None
    ) -> Response:
        ids, query = _ids(request), request.query_params
        found = await visitor.call("get_panel_results", **ids, by=by)
        link = self._sharing.link(visitor.user.id, *ids.values()) if "share" in query else None
        values = result_values(found, query.get("group", ""))
        filters = {"by": by, "attributes": await _attributes(visitor, values["question"]), "formats": FORMATS}
        page = {"base": request.url.path.removesuffix("/answers").removesuffix("/themes"), "link": link}
        return self._console.render("question.html", visitor, refused, **values, **filters, **page)

    async def _live(self, request: Request, visitor: Visitor) -> Response:
        async def see() -> tuple[dict[str, Any], str]:
            values = result_values(await visitor.call("get_panel_results", **_ids(request), charged=False), "")
            return values, "" if values["question"]["status"] == "processing" else "done"

        return self._console.live(visitor, see, "question_live.html")

    async def _export(self, request: Request, visitor: Visitor) -> Response:
        """On to the file. By GET: it changes nothing, and a form that is posted is sent once only."""
        kind = request.query_params.get("format", "pdf")
        made = await visitor.call("export_panel", **_ids(request), format=kind, by=_by(request))
        return see_other(made["url"])

    async def _code(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        """The value that was chosen, or several; without one it is taken back."""
        value = "; ".join(sent.texts("value"))
        if not value and sent.text("do") != "undo":
            refused = CallRefused("invalid_arguments", "Choose what the answer counts as.", {})
            return await self._shown(request, visitor, refused)
        return await self._done(request, visitor, "code_answer", persona=sent.text("persona"), value=value)

    async def _revise(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        words = [word.strip() for word in sent.text("words").split(",") if word.strip()]
        given = {"action": sent.text("action"), "label": sent.text("label"), "words": words}
        return await self._done(request, visitor, "revise_themes", themes=sent.texts("themes"), **given)

    async def _done(self, request: Request, visitor: Visitor, tool: str, **arguments: Any) -> Response:
        """The page anew once the tool has done it, or with why it has not."""
        try:
            await visitor.call(tool, **_ids(request), **arguments)
        except CallRefused as refused:
            return await self._shown(request, visitor, refused)
        return see_other(request.url.path.rpartition("/")[0])


def _ids(request: Request) -> dict[str, Any]:
    """The arguments that name the panel and, where the path has one, the question."""
    return {"panelId": request.path_params["panel"], "questionId": request.path_params.get("question")}


def _by(request: Request) -> list[str]:
    """The attribute by which is compared, if one was chosen."""
    return [one for one in request.query_params.getlist("by")[:1] if one]


async def _attributes(visitor: Visitor, question: Mapping[str, Any]) -> list[str]:
    """By what those who answered can be compared; nothing where that cannot be told now."""
    members = {answer["personaId"] for answer in question["answers"]}
    with suppress(CallRefused):
        told = (await visitor.call("list_my_ai_personas"))["personas"]
        return sorted({key for one in told if one["id"] in members for key in attributes_of(one["tags"])})
    return []
