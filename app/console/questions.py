"""The pages of one question: its result, live while it is answered, coding by hand, themes and exports."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import CallRefused
from app.console.results import result_values
from app.console.sharing import Sharing
from app.console.site import Console, Sent, Visitor, back_to
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
        by = request.query_params.get("by", "")
        if not by:
            return await self._shown(request, visitor)
        try:
            return await self._shown(request, visitor, by=[by])
        except CallRefused as refused:
            return await self._shown(request, visitor, refused)

    async def _shown(
        self, request: Request, visitor: Visitor, refused: CallRefused | None = None, by: list[str] | None = None
    ) -> Response:
        ids, query = _ids(request), request.query_params
        found = await visitor.call("get_panel_results", **ids, by=by)
        link = self._sharing.link(visitor.user.id, *ids.values()) if "share" in query else None
        values = result_values(found, query.get("group", ""))
        filters = {"by": by, "attributes": await _attributes(visitor), "formats": FORMATS}
        page = {"base": request.url.path.removesuffix("/answers").removesuffix("/themes"), "link": link}
        return self._console.render("question.html", visitor, refused, **values, **filters, **page)

    async def _live(self, request: Request, visitor: Visitor) -> Response:
        async def see() -> tuple[dict[str, Any], str]:
            values = result_values(await visitor.call("get_panel_results", **_ids(request), charged=False), "")
            return values, "" if values["question"]["status"] == "processing" else "done"

        return self._console.live(visitor, see, "question_live.html")

    async def _export(self, request: Request, visitor: Visitor) -> Response:
        """On to the file. By GET: it changes nothing, and a form that is posted is sent once only."""
        query = request.query_params
        by = [query["by"]] if query.get("by") else None
        made = await visitor.call("export_panel", **_ids(request), format=query.get("format", "pdf"), by=by)
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
        return back_to(request.url.path.rpartition("/")[0])


def _ids(request: Request) -> dict[str, Any]:
    """The arguments that name the panel and, where the path has one, the question."""
    named = {"panelId": request.path_params["panel"], "questionId": request.path_params.get("question")}
    return {name: value for name, value in named.items() if value}


async def _attributes(visitor: Visitor) -> list[str]:
    """By what the person's personas can be compared; nothing where that cannot be told now."""
    try:
        personas = (await visitor.call("list_my_ai_personas"))["personas"]
    except CallRefused:
        return []
    return sorted({key for one in personas for key, colon, _ in (tag.partition(": ") for tag in one["tags"]) if colon})
