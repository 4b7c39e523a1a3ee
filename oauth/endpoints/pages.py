"""Pages: one template each, escaped by itself, never cached, never framed, no script."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from oauth.endpoints.http import RETRY_AFTER, UNAVAILABLE

POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
STYLE_PATH = "/oauth/style.css"


class Pages:
    """Renders the templates of `oauth/pages`, and those in the folder `pages` of other packages that share its look."""

    def __init__(self, *packages: str) -> None:
        self._environment = Environment(
            loader=ChoiceLoader([PackageLoader(package, "pages") for package in ("oauth", *packages)]),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["style"] = STYLE_PATH
        self._style = files("oauth.pages").joinpath("style.css").read_text()

    def render(
        self, template: str, status: int = 200, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> HTMLResponse:
        """The page.

        No `form-action` in its policy: browsers apply it to redirects, and ours lead to any client. The referrer
        policy is same-origin: under no-referrer, browsers send `Origin: null` with our own forms.
        """
        html = self._environment.get_template(template).render(values)
        again = {"retry-after": str(RETRY_AFTER)} if status == UNAVAILABLE else {}
        fixed = {"cache-control": "no-store", "content-security-policy": POLICY, "referrer-policy": "same-origin"}
        return HTMLResponse(html, status, headers={**fixed, **again, **(headers or {})})

    def problem(self, title: str, text: str, status: int = 400) -> HTMLResponse:
        """A plain page that says what is wrong and what to do: for requests whose redirect is not trusted."""
        return self.render("problem.html", status, title=title, text=text)

    @property
    def route(self) -> Route:
        """The stylesheet."""

        async def style(_request: Request) -> Response:
            return Response(self._style, media_type="text/css", headers={"cache-control": "public, max-age=3600"})

        return Route(STYLE_PATH, style)
