"""The cookies that hold sign-ins under way, one set for each, so that several tabs work at once."""

from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.cookies import Cookies
from oauth.errors import InvalidRequest
from oauth.flows.external_sign_in import Begun
from oauth.settings import OAuthSettings

START = "sign-in-"
PART = 3_500  # browsers keep 4,096 bytes of a cookie, its name and attributes among them (RFC 6265 section 6.1)
MAX_PARTS = 3
MAX_COOKIES = 6
"""Those of older sign-ins go: a browser that begins many must not end up with headers that no proxy takes."""


class Tickets:
    """Puts tickets into a browser and takes them out again."""

    def __init__(self, settings: OAuthSettings) -> None:
        self._cookies, self._lifetime = Cookies(settings), settings.request

    def keep(self, request: Request, response: Response, begun: Begun) -> None:
        """Let the browser hold the ticket.

        Raises:
            InvalidRequest: it is too long, because what the sign-in leads on to is.

        """
        parts = [begun.ticket[start : start + PART] for start in range(0, len(begun.ticket), PART)]
        if len(parts) > MAX_PARTS:
            raise InvalidRequest("The request is too long to be kept during a sign-in; send a shorter state.")
        held = self._cookies.names(request, START)
        for name in held[: max(0, len(held) + len(parts) - MAX_COOKIES)]:
            self._cookies.clear(response, name)
        for number, part in enumerate(parts):
            self._cookies.set(response, f"{START}{begun.key}-{number}", part, self._lifetime)

    def find(self, request: Request, key: str) -> str | None:
        """The ticket of this key, if this browser holds it."""
        parts = [self._cookies.get(request, name) or "" for name in _names(key)]
        return "".join(parts) or None

    def drop(self, request: Request, response: Response, key: str) -> None:
        """Take it away."""
        held = self._cookies.names(request, START)
        for name in _names(key):
            if name in held:
                self._cookies.clear(response, name)


def _names(key: str) -> list[str]:
    return [f"{START}{key}-{number}" for number in range(MAX_PARTS)]
