"""The pages of one question: its result, live while it is answered, coding by hand, themes and exports."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import CallRefused
from app.console.results import result_values
from app.console.sharing import Sharing
from app.console.site import Console, Sent, Visitor
from mcp_server.toolkit.attributes import attributes_of
from oauth.endpoints.signed_in import see_other

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
