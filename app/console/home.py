"""The home page: what this is and, for who is signed in, what they and their assistants made last."""

from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.console.calls import CallRefused
from app.console.persona_values import rows_of
from app.console.site import Console, Visitor

PATH = "/"
NEWEST = 6
PLAIN = "Minds for AI assistants. The address for MCP clients is {resource}; a browser shows more.\n"


class HomePage:
    """GET /. `tools` are those that are served, and `documentation` the path of its pages, where there are any."""

    def __init__(self, console: Console, tools: Collection[str], *, resource: str, documentation: str | None) -> None:
        self._console, self._tools = console, tools
        self._about = {"resource": resource, "documentation": documentation}
        self.routes = [console.open_page(PATH, self._show)]

    async def _show(self, request: Request, visitor: Visitor | None) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse(PLAIN.format(resource=self._about["resource"]))
        parts: dict[str, Any] = {"personas": None, "panels": None}
        for name, tool in (("personas", "list_my_ai_personas"), ("panels", "list_panels")):
            if visitor is not None and tool in self._tools:
                parts[name] = await self._newest(visitor, name, tool)
        sign_in = "/personas" if "list_my_ai_personas" in self._tools else "/account"  # whoever is not is asked there
        told = {**parts, **self._about, "sign_in": sign_in}
        return self._console.render("home.html", visitor, **told)

    async def _newest(self, visitor: Visitor, name: str, tool: str) -> dict[str, Any]:
        """The first of a list; or why there is none, beside which the rest of the page stands."""
        try:
            found = await visitor.call(tool)
            newest = found[name][:NEWEST]
            if name == "personas":
                rows = await rows_of(visitor, newest)
            else:
                rows = [{**row, "address": f"/panels/{quote(row['id'], safe='')}"} for row in newest]
        except CallRefused as refused:
            return {"rows": [], "total": 0, "problem": refused.message}
        return {"rows": rows, "names": [row["name"] for row in found[name]], "total": found["total"], "problem": None}
