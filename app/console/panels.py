"""The pages of panels: the list, a new one, one panel with its questions, and asking it."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import CallRefused
from app.console.questions import QuestionPages, Sharing
from app.console.results import KINDS, has_few, kind_of
from app.console.site import Console, Sent, Visitor
from oauth.endpoints.signed_in import see_other

PATH = "/panels"
MOST_GROUPS = 50
PATIENCE = 3.0  # seconds that a browser waits for answers; then it is shown those that are there, and the others come
FIELDS = ("question", "kind", "options", "low", "high")


class PanelPages:
    """GET /panels and all below it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        sharing = Sharing(console)
        self.routes: list[Route] = [
            console.page(PATH, self._list),
            console.page(f"{PATH}/new", self._new),
            console.form(f"{PATH}/new", self._create),
            console.page(f"{PATH}/{{panel}}", self._shown),
            console.page(f"{PATH}/{{panel}}/live", self._live),
            console.form(f"{PATH}/{{panel}}/questions", self._ask),
            *QuestionPages(console, sharing).routes,
            *sharing.routes,
        ]

    async def _list(self, request: Request, visitor: Visitor) -> Response:
        query = request.query_params.get("q", "").strip()
        found = await visitor.call("list_panels", searchQuery=query)
        return self._console.render("panels.html", visitor, query=query, panels=found["panels"], total=found["total"])

    async def _new(self, _request: Request, visitor: Visitor) -> Response:
        return await self._form(visitor, {"name": "", "find": "", "existing": [], "groups": [empty_group()]})

    async def _create(self, _request: Request, visitor: Visitor, sent: Sent) -> Response:
        """The panel, or the form again: with one group more, with other personas to choose from, or refused."""
        draft = new_panel(sent)
        if sent.text("do") == "add":
            draft["groups"].append(empty_group())
        if sent.text("do"):
            return await self._form(visitor, draft)
        groups = [{"name": one["name"], "sparkIds": one["members"]} for one in draft["groups"] if any(one.values())]
        configs = [{name: value for name, value in one.items() if value} for one in groups]
        arguments = {"name": draft["name"], "groupConfigs": configs, "groupIds": draft["existing"]}
        try:
            made = await visitor.call("create_panel", **arguments)
        except CallRefused as refused:
            return await self._form(visitor, draft, refused)
        return see_other(f"{PATH}/{made['panelId']}")

    async def _form(self, visitor: Visitor, draft: dict[str, Any], refused: CallRefused | None = None) -> Response:
        personas = await visitor.call("list_my_ai_personas", searchQuery=draft["find"])
        known = await visitor.call("list_groups")
        shown = {one["id"] for one in personas["personas"]}
        for group in draft["groups"]:
            group["unseen"] = [one for one in group["members"] if one not in shown]
        choice = {"personas": personas["personas"], "total": personas["total"], "known": known["groups"]}
        return self._console.render("panel_new.html", visitor, refused, draft=draft, **choice)

    async def _shown(
        self, request: Request, visitor: Visitor, refused: CallRefused | None = None, **given: Any
    ) -> Response:
        """The panel; with what was filled in to ask it, and what that would take."""
        values = await self._values(visitor, request.path_params["panel"])
        form = {"filled": dict.fromkeys(FIELDS, ""), "asked": [], "estimate": None, "kinds": KINDS} | given
        return self._console.render("panel.html", visitor, refused, **values, **form)

    async def _values(self, visitor: Visitor, panel_id: str) -> dict[str, Any]:
        found = await visitor.call("get_panel_results", panelId=panel_id)
        questions = found["questions"]
        more = [{**one, "kind": kind_of(one), "is_few": has_few(one["overall"])} for one in questions]
        return {"panel": found, "questions": more, "is_live": any(one["status"] == "processing" for one in questions)}

    async def _live(self, request: Request, visitor: Visitor) -> Response:
        async def see() -> tuple[dict[str, Any], str]:
            values = await self._values(visitor, request.path_params["panel"])
            return values, "" if values["is_live"] else "done"

        return self._console.live(visitor, see, "panel_questions.html")

    async def _ask(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        panel_id, arguments = request.path_params["panel"], asked(sent)
        given = {"filled": {name: sent.text(name) for name in FIELDS}, "asked": arguments["groupIds"]}
        try:
            if sent.text("do") == "estimate":
                answer = await visitor.call("ask_panel", panelId=panel_id, estimateOnly=True, **arguments)
                return await self._shown(request, visitor, estimate=answer["estimate"], **given)
            answer = await visitor.call("ask_panel", patience=PATIENCE, panelId=panel_id, **arguments)
        except CallRefused as refused:
            return await self._shown(request, visitor, refused, **given)
        one = f"/questions/{answer['questionId']}" if "question" in arguments else ""
        return see_other(f"{PATH}/{panel_id}{one}")


def empty_group() -> dict[str, Any]:
    return {"name": "", "members": []}


def new_panel(sent: Sent) -> dict[str, Any]:
    """What the form for a new panel holds, for the form and for the tool."""
    numbers = sent.texts("group")[:MOST_GROUPS]
    groups = [{"name": sent.text(f"name-{one}"), "members": sent.texts(f"members-{one}")} for one in numbers]
    fields = {"name": sent.text("name"), "find": sent.text("find"), "existing": sent.texts("existing")}
    return {**fields, "groups": groups or [empty_group()]}


def asked(sent: Sent) -> dict[str, Any]:
    """The arguments of `ask_panel`: one question, or a study of one question a line."""
    kind = sent.text("kind")
    how: dict[str, Any] = {"questionType": kind} if kind in KINDS else {}
    ends = {name: sent.text(field) for name, field in (("min", "low"), ("max", "high")) if sent.text(field)}
    if kind == "scale" and ends:
        how["scale"] = ends
    if kind in {"categorical", "multiselect"} and sent.text("options"):
        how["options"] = _lines(sent.text("options"))
    lines = _lines(sent.text("question"))
    study = {"questions": [{"question": line, **how} for line in lines]}
    return {**(study if len(lines) > 1 else {"question": "".join(lines), **how}), "groupIds": sent.texts("groups")}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
