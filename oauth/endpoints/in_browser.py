"""What the endpoints share that a person's browser visits: refusals as plain pages, and redirects."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oauth.endpoints.http import NO_STORE, Handler, in_time
from oauth.endpoints.pages import Pages
from oauth.errors import (
    AccessDenied,
    Conflict,
    InvalidClient,
    OauthError,
    ProtocolError,
    StoreUnavailable,
    TemporarilyUnavailable,
    TooManyRequests,
    UnreadableDocument,
    UnusableDocument,
)
from oauth.primitives.sealing import Tampered

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
        except (ProtocolError, Conflict, Tampered, StoreUnavailable) as error:
            title, text, status = _told(error)
            page = pages.problem(title, text, status)
            if isinstance(error, TooManyRequests):
                page.headers["retry-after"] = str(error.retry_after)
            return page

    return guarded


def redirect(request: Request, address: str) -> Response:
    """On to `address` by GET, whatever `request` was, and without telling the next site where from.

    303 after a form, so that no browser posts it once more to a client (RFC 9700 section 4.12).
    """
    headers = {**NO_STORE, "referrer-policy": "no-referrer"}
    return RedirectResponse(address, 303 if request.method == "POST" else 302, headers=headers)


def _told(error: OauthError) -> tuple[str, str, int]:
    if isinstance(error, UnusableDocument):
        return "The app is described wrongly", UNUSABLE.format(host=error.host, reason=error.description), 400
    if isinstance(error, UnreadableDocument):
        return "The app's description cannot be read", UNREADABLE.format(host=error.host), error.status
    return _told_of_request(error)


def _told_of_request(error: OauthError) -> tuple[str, str, int]:
    if isinstance(error, InvalidClient):
        return "Unknown app", UNKNOWN_APP, 400  # not 401: there is nothing that a browser could authenticate with
    if isinstance(error, AccessDenied):
        return "Not accepted", str(error), 403
    if isinstance(error, Conflict):
        return "Answered already", ANSWERED, 409
    if isinstance(error, Tampered):
        return "This link does not work", GONE, 400
    if isinstance(error, StoreUnavailable | TemporarilyUnavailable):
        return "Try again", BUSY, 503
    if isinstance(error, ProtocolError):
        return "This request cannot be answered", str(error), error.status
    raise error
