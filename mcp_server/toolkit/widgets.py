"""Widgets: what hosts with a user interface show of a result (MCP Apps, revision 2026-01-26; OpenAI's Apps SDK).

Each is one HTML document without anything from elsewhere, put together from the files in `widget_sources`. It holds
nothing of any user: what it shows comes from the host, so it may be read without signing in and kept by anybody.
"""

from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from mcp_server.primitives import Resource

MIME_TYPE = "text/html;profile=mcp-app"
SKYBRIDGE = "text/html+skybridge"
"""For ChatGPT as it was before MCP Apps."""

LIVE_PATH = "/widget/live"
"""Where a widget reads how far something is, with the token in its result's `_meta`."""

LIVE = "minds/live"
"""In a result's `_meta`: address and token of that, which neither the model nor the transcript is shown."""

Live = Callable[[str, Mapping[str, Any]], Mapping[str, Any] | None]
"""That member for a tool and its arguments; None where this caller has no such way."""


def document(name: str) -> str:
    """The widget `name`: its styles and scripts, in the order in which they build on each other."""
    sources = files("mcp_server.toolkit").joinpath("widget_sources")

    def source(file: str) -> str:
        return sources.joinpath(file).read_text("utf-8")

    script = "\n".join(source(f"{part}.js") for part in ("words", "bridge", name))
    page = source("page.html").replace("/* STYLE */", source("widget.css"))
    return page.replace("/* SCRIPT */", script)


def uri_of(name: str, text: str) -> str:
    """The address of the widget with this text: hosts keep what they have read for an hour and more."""
    return f"ui://widget/{name}.{sha256(text.encode()).hexdigest()[:12]}.html"


def resource_meta(site_url: str) -> dict[str, Any]:
    """The `_meta` of a widget of the gateway at `site_url`, which is empty on stdio.

    `ui.domain` is left out: Claude refuses every value but its own. ChatGPT takes an origin of ours by its own name.
    """
    connect = [site_url] if site_url else []
    openai = {"openai/widgetDomain": site_url} if site_url.startswith("https://") else {}
    return {
        "ui": {"csp": {"connectDomains": connect, "resourceDomains": []}, "prefersBorder": True},
        "openai/widgetPrefersBorder": True,
        "openai/widgetCSP": {"connect_domains": connect, "resource_domains": []},
        **openai,
    }


def widget(run: Callable[[], Awaitable[str]], title: str, uri: str, mime_type: str = MIME_TYPE) -> Resource:
    """The resource of a widget: the same for everybody, signed in or not."""
    shared: dict[str, Any] = {"public": True, "is_constant": True, "meta_of": resource_meta}
    return Resource(run=run, title=title, uri=uri, mime_type=mime_type, **shared)


CALLED_BY_WIDGETS: Mapping[str, Any] = {"openai/widgetAccessible": True}
"""The `_meta` of a tool that a widget calls and that has none itself."""


def tool_meta(uri: str) -> Mapping[str, Any]:
    """The `_meta` of a tool whose result the widget at `uri` shows, and which that widget may call."""
    return {
        "ui": {"resourceUri": uri, "visibility": ["model", "app"]},
        "ui/resourceUri": uri,
        "openai/outputTemplate": uri,
        **CALLED_BY_WIDGETS,
    }
