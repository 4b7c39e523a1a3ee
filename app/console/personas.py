"""The pages of personas: list, create, watch, talk, teach, change and delete, by the tools that assistants call."""

from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.console import conversation
from app.console.calls import CallRefused
from app.console.conversation import Turn
from app.console.persona_values import (
    KINDS,
    PATH,
    TABS,
    address,
    attributes_of,
    filled,
    refused,
    rows_of,
    source_of,
    sources_of,
    values_of,
)
from app.console.site import Console, Sent, Visitor
from oauth.endpoints.signed_in import see_other

PER_PAGE = 24
MOST_DIGITS = 4
NOBODY: Mapping[str, Any] = {"personas": [], "total": 0, "approximate": False}


class PersonaPages:
    """The routes at /personas."""

    def __init__(self, console: Console) -> None:
        self._console = console
        one = f"{PATH}/{{persona}}"
        self.routes = [
            console.page(PATH, self._list),
            console.page(f"{PATH}/new", self._new),
            console.form(f"{PATH}/new", self._create),
            console.form(one, self._talk),
            *(console.page(f"{one}{rest}", partial(self._tab, tab)) for tab, rest in TABS.items()),
            *(console.page(f"{one}{rest}/live", partial(self._live, tab)) for tab, rest in TABS.items()),
            console.form(f"{one}/knowledge", self._add),
            console.form(f"{one}/knowledge/remove", partial(self._do, "remove_knowledge", ["item"], "knowledge")),
            console.form(f"{one}/retrain", partial(self._do, "retrain", [], "knowledge")),
            console.form(f"{one}/name", partial(self._do, "rename", ["name"], "settings")),
            console.form(f"{one}/attributes", self._set_attribute),
            console.form(f"{one}/delete", self._delete),
        ]

    async def _list(self, request: Request, visitor: Visitor) -> Response:
        query, wanted = request.query_params.get("q", "").strip(), request.query_params.get("page", "")
        found, problem = NOBODY, None
        try:
            found = await visitor.call("list_my_ai_personas", searchQuery=query)
        except CallRefused as refusal:
            problem = refusal
        pages = max(1, -(-len(found["personas"]) // PER_PAGE))
        number = int(wanted) if wanted.isdecimal() and len(wanted) <= MOST_DIGITS else 1
        number = min(pages, max(1, number))
        rows = await rows_of(visitor, found["personas"][(number - 1) * PER_PAGE : number * PER_PAGE])
        paging = {"number": number, "pages": pages}
        return self._console.render("personas.html", visitor, problem, query=query, found=found, rows=rows, **paging)

    async def _new(self, _request: Request, visitor: Visitor) -> Response:
        return self._console.render("persona_new.html", visitor, filled={}, kinds=KINDS)

    async def _create(self, _request: Request, visitor: Visitor, sent: Sent) -> Response:
        """A link is read by the creation itself; anything else is given to a persona that begins empty."""
        try:
            source = await source_of(sent)
            made = await visitor.call(
                "create_ai_persona_or_digital_twin",
                name=sent.text("name"),
                mode="link" if "link" in source else "manual",
                type=sent.text("type") if sent.text("type") in KINDS else "",
                discipline=sent.text("discipline"),
                contextLink=source.get("link"),
                attributes=attributes_of(sent.text("attributes")) or None,
            )
        except CallRefused as refusal:
            return self._console.render("persona_new.html", visitor, refusal, filled=filled(sent), kinds=KINDS)
        persona = made["sparkId"]
        if "link" not in source and not (made["duplicate"] and await sources_of(visitor, persona)):
            try:
                await visitor.call("add_knowledge", sparkId=persona, **source)
            except CallRefused as refusal:
                problem = CallRefused(refusal.code, f"The persona is there, and empty. {refusal.message}", {})
                return await self._show(visitor, persona, "knowledge", problem, filled=filled(sent))
        return see_other(address(persona, "talk"))

    async def _tab(self, tab: str, request: Request, visitor: Visitor) -> Response:
        return await self._show(visitor, request.path_params["persona"], tab)

    async def _show(
        self,
        visitor: Visitor,
        persona: str,
        tab: str,
        problem: CallRefused | None = None,
        *,
        turns: Sequence[Turn] = (),
        filled: Mapping[str, str] | None = None,
    ) -> Response:
        values = await values_of(visitor, persona, tab)
        told = {"turns": turns, "carried": conversation.written(turns), "filled": filled or {}}
        return self._console.render(f"persona_{tab}.html", visitor, problem, **values, **told)

    async def _talk(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        """The answer, below the conversation that the form brought along; without a message only that is shown."""
        persona, message = request.path_params["persona"], sent.text("message")
        turns = conversation.read(sent.text("turns"))
        if not message:
            return await self._show(visitor, persona, "talk", turns=turns)
        earlier = conversation.history(turns)
        try:
            reply = await visitor.call(
                "talk_to_ai_persona", sparkId=persona, message=message, conversationHistory=earlier
            )
        except CallRefused as refusal:
            return await self._show(visitor, persona, "talk", refusal, turns=turns, filled=filled(sent))
        turns = [*turns, Turn(role="user", content=message), conversation.answered(reply)]
        return await self._show(visitor, persona, "talk", turns=turns)

    async def _add(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        async def add() -> None:
            given = {"title": sent.text("title"), **await source_of(sent)}
            await visitor.call("add_knowledge", sparkId=request.path_params["persona"], **given)

        return await self._after(add(), request, visitor, sent, "knowledge")

    async def _do(
        self, tool: str, fields: Sequence[str], tab: str, request: Request, visitor: Visitor, sent: Sent
    ) -> Response:
        """What this tool does with the persona and these fields of the form."""
        given: dict[str, Any] = {name: sent.text(name) for name in fields}
        done = visitor.call(tool, sparkId=request.path_params["persona"], **given)
        return await self._after(done, request, visitor, sent, tab)

    async def _set_attribute(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        persona, attributes = request.path_params["persona"], {sent.text("key"): sent.text("value")}
        changed = visitor.call("set_persona_attributes", sparkIds=[persona], attributes=attributes)
        return await self._after(changed, request, visitor, sent, "settings")

    async def _delete(self, request: Request, visitor: Visitor, sent: Sent) -> Response:
        persona = request.path_params["persona"]
        progress = await visitor.call("check_ai_persona_training_progress", sparkId=persona)
        if sent.text("confirmed").split() != progress["name"].split():
            unlike = refused("That is not its name. Write the name as it stands above; nothing was deleted.")
            return await self._show(visitor, persona, "settings", unlike, filled=filled(sent))
        await visitor.call("delete_persona", sparkId=persona)
        return see_other(PATH)

    async def _after(self, deed: Awaitable[Any], request: Request, visitor: Visitor, sent: Sent, tab: str) -> Response:
        """Back to the tab; with what was filled in and why, if it was refused."""
        persona = request.path_params["persona"]
        try:
            await deed
        except CallRefused as refusal:
            return await self._show(visitor, persona, tab, refusal, filled=filled(sent))
        return see_other(address(persona, tab))

    async def _live(self, tab: str, request: Request, visitor: Visitor) -> Response:
        """The part of the page about the training."""

        async def see() -> tuple[dict[str, Any], str]:
            values = await values_of(visitor, request.path_params["persona"], tab, charged=False)
            over = "done" if tab == "talk" else "end"  # a page to talk becomes another one; forms stay as they are
            return values, over if values["state"]["is_over"] else ""

        return self._console.live(visitor, see, "persona_training.html")
