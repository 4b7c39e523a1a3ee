"""`/dev/widget`, in development only: shows the widgets as hosts do, in both ways, fed by this very server."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app.console.calls import CallRefused
from app.console.site import Console, Sent, Visitor
from mcp_server.primitives import Resource
from mcp_server.toolset import Tool, Toolset
from oauth.endpoints.pages import SCRIPTED_POLICY, asset_route

PATH, FOLDER = "/dev/widget", files("app.console")
WIDGET_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-forms"
)
"""What hosts give a widget: its own inline script and styles, and the addresses that its metadata names."""


class WidgetHost:
    """The page with a form for a call, a frame for each widget, and what they say to each other."""

    def __init__(self, console: Console, toolsets: list[Toolset], site_url: str) -> None:
        self._console, self._site_url = console, site_url
        resources = [one.at_site(site_url) for toolset in toolsets for one in toolset.resources]
        self._widgets: dict[str, Resource] = {one.uri: one for one in resources if one.uri.startswith("ui://")}
        shown = [tool for toolset in toolsets for tool in toolset.tools if "ui" in tool.meta]
        self._tools: dict[str, Tool] = {tool.name: tool for tool in shown}
        self.routes: list[BaseRoute] = [
            console.page(PATH, self._page),
            console.form(f"{PATH}/call", self._call),
            Route(f"{PATH}/frame", self._frame),
            asset_route(f"{PATH}/host.js", "text/javascript", FOLDER / "dev_host.js", "no-store"),
        ]

    async def _page(self, _request: Request, visitor: Visitor) -> Response:
        tools = {name: tool.meta["ui"]["resourceUri"] for name, tool in self._tools.items()}
        response = self._console.render("dev_widget.html", visitor, path=PATH, tools=tools)
        response.headers["content-security-policy"] = f"{SCRIPTED_POLICY}; frame-src 'self'"
        return response

    async def _call(self, _request: Request, visitor: Visitor, sent: Sent) -> Response:
        """The whole result of a tool, as a client gets it, `_meta` included."""
        try:
            arguments = orjson.loads(sent.text("arguments") or "{}")
            return JSONResponse(await visitor.calls.call(visitor.user.id, sent.text("tool"), arguments))
        except CallRefused as refused:
            return JSONResponse(_failed(refused))

    async def _frame(self, request: Request) -> Response:
        """The widget at `uri`; with `host=chatgpt` behind what ChatGPT puts before it."""
        widget = self._widgets.get(request.query_params.get("uri", ""))
        if widget is None:
            return Response("There is no such widget.", 404)
        text: str = await widget.run()
        if request.query_params.get("host") == "chatgpt":
            shim = (FOLDER / "dev_openai.js").read_text("utf-8")
            text = text.replace("<head>", f"<head><script>{shim}</script>", 1)
        policy = WIDGET_POLICY.format(connect=self._site_url)
        return HTMLResponse(text, headers={"content-security-policy": policy, "cache-control": "no-store"})


def _failed(refused: CallRefused) -> Mapping[str, Any]:
    error = {"code": refused.code, "message": refused.message}
    return {
        "isError": True,
        "content": [{"type": "text", "text": refused.message}],
        "structuredContent": {"error": error},
    }
