"""Pages: one template each, escaped by itself, never cached, never framed; a script only where a page asks for it."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from oauth import errors
from oauth.endpoints.http import NO_STORE, RETRY_AFTER, UNAVAILABLE, Handler, in_time
from oauth.identity.provider import ProviderUnavailable
from oauth.primitives.sealing import Tampered

POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
SCRIPTED_POLICY = f"{POLICY}; script-src 'self'; connect-src 'self'"
STYLE_PATH, ICON_PATH, SCRIPT_PATH = "/oauth/style.css", "/oauth/icon.svg", "/oauth/site.js"
ASSETS = {STYLE_PATH: "text/css", ICON_PATH: "image/svg+xml", SCRIPT_PATH: "text/javascript"}


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
        self._environment.globals |= {"style": STYLE_PATH, "icon": ICON_PATH}

    def render(
        self,
        template: str,
        status: int = 200,
        *,
        headers: Mapping[str, str] | None = None,
        is_scripted: bool = False,
        **values: Any,
    ) -> HTMLResponse:
        """The page; sign-in and consent have no script, so that nothing but the person presses their buttons.

        No `form-action` in its policy: browsers apply it to redirects, and ours lead to any client. The referrer
        policy is same-origin: under no-referrer, browsers send `Origin: null` with our own forms.
        """
        html = self._environment.get_template(template).render(values, site_script=SCRIPT_PATH if is_scripted else None)
        policy = SCRIPTED_POLICY if is_scripted else POLICY
        again = {"retry-after": str(RETRY_AFTER)} if status == UNAVAILABLE else {}
        fixed = {"cache-control": "no-store", "content-security-policy": policy, "referrer-policy": "same-origin"}
        return HTMLResponse(html, status, headers={**fixed, **again, **(headers or {})})

    def problem(self, title: str, text: str, status: int = 400) -> HTMLResponse:
        """A plain page that says what is wrong and what to do: for requests whose redirect is not trusted."""
        return self.render("problem.html", status, title=title, text=text)


def asset_routes() -> list[Route]:
    """The stylesheet, the icon and the script of the pages."""

    def served(path: str, kind: str) -> Route:
        text = files("oauth.pages").joinpath(path.rpartition("/")[2]).read_text("utf-8")

        async def asset(_request: Request) -> Response:
            return Response(text, media_type=kind, headers={"cache-control": "public, max-age=3600"})

        return Route(path, asset)

    return [served(path, kind) for path, kind in ASSETS.items()]


UNKNOWN_APP = (
    "The app that sent you here is not registered, or no longer. Remove this server in the app and add it again."
)
UNUSABLE = (
    "The app that sent you here describes itself at {host}, and this server cannot use that description. {reason} Only"
    " those who make or run the app can mend it; adding the server again changes nothing. Tell them what stands here."
)
UNREADABLE = (
    "The app that sent you here describes itself at {host}, and that description cannot be read from here. Wait a"
    " little, then load this page again. If that does not help, tell those who make or run the app, who can mend it."
)
GONE = "This link was made for another page, or too long ago. Go back to the app and start again there."
ANSWERED = "You have answered this request already. If the app is not connected, start again there."
BUSY = "The server cannot answer at the moment. Wait a little, then load this page again."


def shows_pages(pages: Pages, handler: Handler) -> Handler:
    """`handler`, with its refusals as pages; a store without an answer is a 503, never a verdict."""

    async def guarded(request: Request) -> Response:
        try:
            return await in_time(handler(request), request)
        except (errors.ProtocolError, errors.Refused, Tampered, errors.StoreUnavailable, ProviderUnavailable) as error:
            title, text, status = _described(error)
            page = pages.problem(title, text, status)
            if isinstance(error, errors.TooManyRequests):
                page.headers["retry-after"] = str(error.retry_after)
            return page

    return guarded


def redirect(request: Request, address: str) -> Response:
    """On to `address` by GET, whatever `request` was, and without telling the next site where from.

    303 after a form, so that no browser posts it once more to a client (RFC 9700 section 4.12).
    """
    headers = {**NO_STORE, "referrer-policy": "no-referrer"}
    return RedirectResponse(address, 303 if request.method == "POST" else 302, headers=headers)


_FIXED: Sequence[tuple[type[errors.OauthError], tuple[str, str, int]]] = (
    (errors.InvalidClient, ("Unknown app", UNKNOWN_APP, 400)),  # not 401: a browser has nothing to authenticate with
    (errors.Conflict, ("Answered already", ANSWERED, 409)),
    (Tampered, ("This link does not work", GONE, 400)),
    (errors.StoreUnavailable, ("Try again", BUSY, 503)),
    (ProviderUnavailable, ("Try again", BUSY, 503)),
    (errors.TemporarilyUnavailable, ("Try again", BUSY, 503)),
)


def _described(error: errors.OauthError) -> tuple[str, str, int]:
    if isinstance(error, errors.UnusableDocument):
        return "The app is described wrongly", UNUSABLE.format(host=error.host, reason=error), 400
    if isinstance(error, errors.UnreadableDocument):
        return "The app's description cannot be read", UNREADABLE.format(host=error.host), error.status
    fixed = next((page for kind, page in _FIXED if isinstance(error, kind)), None)
    if fixed is not None:
        return fixed
    if isinstance(error, errors.AccessDenied):
        return "Not accepted", str(error), 403
    if isinstance(error, errors.ProtocolError):
        return "This request cannot be answered", str(error), error.status
    return "This did not work", str(error), 400
