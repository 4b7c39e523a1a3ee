"""Pages: one template each, escaped by itself, never cached, never framed; a script only where a page asks for it."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from oauth import errors
from oauth.endpoints.http import NO_STORE, RETRY_AFTER, UNAVAILABLE, Handler, in_time
from oauth.identity.provider import ProviderUnavailable
from oauth.primitives.sealing import Tampered

POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
SCRIPTED_POLICY = f"{POLICY}; script-src 'self'; connect-src 'self'"
STYLE_PATH, ICON_PATH, SCRIPT_PATH = "/oauth/style.css", "/oauth/icon.svg", "/oauth/site.js"
PASSKEY_SCRIPT_PATH = "/oauth/passkey.js"
"""The one script of the pages where somebody proves who they are: it does nothing before its button is pressed."""
ASSETS = {
    STYLE_PATH: "text/css",
    ICON_PATH: "image/svg+xml",
    SCRIPT_PATH: "text/javascript",
    PASSKEY_SCRIPT_PATH: "text/javascript",
}
Back = tuple[str, str]
"""Where a page leads back to: an address of this site, and the words for it."""
START: Back = ("/", "Start page")
REFUSALS = (errors.ProtocolError, errors.Refused, Tampered, errors.StoreUnavailable, ProviderUnavailable)


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
        times = self._environment.get_template("times.html").module
        self._environment.globals |= {"style": STYLE_PATH, "icon": ICON_PATH, "times": times}

    def render(
        self,
        template: str,
        status: int = 200,
        *,
        headers: Mapping[str, str] | None = None,
        is_scripted: bool = False,
        script: str = SCRIPT_PATH,
        viewer: str | None = None,
        **values: Any,
    ) -> HTMLResponse:
        """The page, with `script` where it `is_scripted`; consent has none: nothing but the person presses its buttons.
        `viewer` is who has signed in, as its head shows it.

        No `form-action` in its policy: browsers apply it to redirects, and ours lead to any client. The referrer
        policy is same-origin: under no-referrer, browsers send `Origin: null` with our own forms.
        """
        shown = {"viewer": viewer, "site_script": script if is_scripted else None}
        html = self._environment.get_template(template).render(values, **shown)
        policy = SCRIPTED_POLICY if is_scripted else POLICY
        again = {"retry-after": str(RETRY_AFTER)} if status == UNAVAILABLE else {}
        fixed = {"cache-control": "no-store", "content-security-policy": policy, "referrer-policy": "same-origin"}
        return HTMLResponse(html, status, headers={**fixed, **again, **(headers or {})})

    def problem(
        self, title: str, text: str, status: int = 400, *, back: Back = START, viewer: str | None = None
    ) -> HTMLResponse:
        """A plain page that says what is wrong and what to do, and leads `back` within this site.

        It is for requests whose redirect is not trusted, so it never leads to an app.
        """
        return self.render("problem.html", status, title=title, text=text, back=back, viewer=viewer)

    def refusal(self, request: Request, error: errors.OauthError) -> HTMLResponse:
        """The page of one of `REFUSALS`."""
        shown = next(PROBLEMS[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in PROBLEMS)
        text = shown["text"].format(error=error, host=getattr(error, "host", ""))
        status: int = shown["status"] if "status" in shown else getattr(error, "status", 400)
        back: Back = tuple(shown["back"]) if "back" in shown else way_back(request, status)
        viewer = getattr(request.state, "viewer", None)
        page = self.problem(shown["title"], text, status, back=back, viewer=viewer)
        if isinstance(error, errors.TooManyRequests):
            page.headers["retry-after"] = str(error.retry_after)
        return page


def asset_routes() -> list[Route]:
    """The stylesheet, the icon and the scripts of the pages."""
    folder = files("oauth.pages")
    return [asset_route(path, kind, folder / path.rpartition("/")[2]) for path, kind in ASSETS.items()]


def asset_route(path: str, kind: str, file: Traversable, cache: str = "public, max-age=3600") -> Route:
    """A file of ours, read once, that pages load from `path`."""
    text = file.read_text("utf-8")

    async def asset(_request: Request) -> Response:
        return Response(text, media_type=kind, headers={"cache-control": cache})

    return Route(path, asset)


PASSING = frozenset({429, 503})
"""Statuses of what passes by itself."""
TEXTS: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("sentences.toml").read_text("utf-8"))
PROBLEMS: Mapping[str, Mapping[str, Any]] = TEXTS["problems"]
ACCOUNT: Back = ("/account", "Your account")
SIGN_IN: Back = ("/oauth/login", "Sign in")
PLACES = ("/oauth/device", "Type a code"), SIGN_IN, ACCOUNT, ("/personas", "All personas"), ("/panels", "All panels")
"""Where somebody goes on whose path begins so."""


def way_back(request: HTTPConnection, status: int) -> Back:
    """Where a refused request leads back to: to itself where trying again helps and does nothing by itself."""
    path, query = request.url.path, request.url.query
    if status in PASSING and request.scope["method"] in {"GET", "HEAD"}:
        return (f"{path}?{query}" if query else path), "Try again"
    return next((back for back in PLACES if path.startswith(back[0])), START)


def shows_pages(pages: Pages, handler: Handler) -> Handler:
    """`handler`, with its refusals as pages; a store without an answer is a 503, never a verdict."""

    async def guarded(request: Request) -> Response:
        try:
            return await in_time(handler(request), request)
        except REFUSALS as error:
            return pages.refusal(request, error)

    return guarded


def redirect(request: Request, address: str) -> Response:
    """On to `address` by GET, whatever `request` was, and without telling the next site where from.

    303 after a form, so that no browser posts it once more to a client (RFC 9700 section 4.12).
    """
    headers = {**NO_STORE, "referrer-policy": "no-referrer"}
    return RedirectResponse(address, 303 if request.method == "POST" else 302, headers=headers)
