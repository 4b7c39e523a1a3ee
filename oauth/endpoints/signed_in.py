"""The signed-in browser, as the pages meet it: its cookies, who it is, where it signs in, whether it sent this form."""

import secrets as randomness
import tomllib
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oauth.activity import ActivityRecorder
from oauth.endpoints.http import NO_STORE
from oauth.errors import AccessDenied, InvalidRequest, SignedOut, StoreUnavailable
from oauth.flows.external_sign_in import ReturnUrls, StartedSignIn
from oauth.grants import Session
from oauth.models import Passkey, User
from oauth.primitives import csrf, secrets
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings
from oauth.stores.sessions import SessionStore

PREFIX = "__Host-"
HTTP_PORT = 80
SESSION = "session"
LOGIN = "login"


START = "sign-in-"
MAX_TICKET = 3_800
"""Browsers keep 4,096 bytes of a cookie, its name and attributes among them (RFC 6265 section 6.1)."""
MAX_COOKIES = 6
"""Those of older sign-ins go: a browser that begins many must not end up with headers that no proxy takes."""


class Cookies:
    """Sets, reads and clears cookies by their plain names, among them the tickets of sign-ins that have begun.

    With https each is named `__Host-…` (RFC 6265bis section 4.1.3.2): browsers take it only from this host over
    TLS, so that a neighbouring subdomain cannot plant one. Browsers refuse that prefix over plain http, which
    is served on loopback only. There each is named after the port, which cookies ignore (RFC 6265 section 8.5): two
    gateways on one machine would overwrite each other's.
    """

    def __init__(self, settings: OAuthSettings) -> None:
        self._secure, self._ticket_lifetime = settings.is_https, settings.request
        self._prefix = PREFIX if self._secure else f"port-{urlsplit(settings.site_url).port or HTTP_PORT}-"

    def name(self, plain: str) -> str:
        return f"{self._prefix}{plain}"

    def get(self, request: Request, plain: str) -> str | None:
        return request.cookies.get(self.name(plain)) or None

    def set(self, response: Response, plain: str, value: str, lifetime: timedelta) -> None:
        """Lax, not strict: a provider's redirect back to us is a cross-site navigation and must carry them."""
        response.set_cookie(
            self.name(plain),
            value,
            max_age=int(lifetime.total_seconds()),
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def clear(self, response: Response, plain: str) -> None:
        response.delete_cookie(self.name(plain), path="/", secure=self._secure, httponly=True, samesite="lax")

    def keep_ticket(self, request: Request, response: Response, started: StartedSignIn) -> None:
        """Let the browser hold the ticket.

        Raises `InvalidRequest`: it is too long, because what the sign-in leads on to is.
        """
        if len(started.ticket) > MAX_TICKET:
            raise InvalidRequest("The request is too long to be kept during a sign-in; send a shorter state.")
        prefix = self.name(START)
        held = [name.removeprefix(self._prefix) for name in request.cookies if name.startswith(prefix)]
        for oldest in held[: 1 - MAX_COOKIES]:  # browsers send the oldest first (RFC 6265 section 5.4)
            self.clear(response, oldest)
        self.set(response, START + started.key, started.ticket, self._ticket_lifetime)

    def ticket(self, request: Request, key: str) -> str | None:
        return self.get(request, START + key)

    def drop_ticket(self, request: Request, response: Response, key: str) -> None:
        if self.ticket(request, key) is not None:
            self.clear(response, START + key)


class SignedInBrowser(NamedTuple):
    """The session of a browser, its account and how pages name that, and the secret of its forms' tokens."""

    session: Session
    user: User
    secret: str
    shown: str


LOGIN_PATH = "/oauth/login"
SECRET_BYTES = 32
MAX_SECRET = 64  # characters; a longer one is not ours and is not even digested


class SignedIn:
    """What every page of a signed-in person asks.

    A sign-in always begins a new session under a new secret: a secret that somebody put into the browser
    beforehand never becomes a signed-in one (session fixation).
    """

    def __init__(
        self, sessions: SessionStore, returning: ReturnUrls, settings: OAuthSettings, activity: ActivityRecorder
    ) -> None:
        self._sessions, self.returning, self._activity = sessions, returning, activity
        self._settings, self.cookies = settings, Cookies(settings)

    async def of(self, request: Request, now: datetime) -> "SignedInBrowser | None":
        """Who has signed in with this browser, which every page of the request then shows."""
        secret = self.cookies.get(request, SESSION)
        if secret is None or len(secret) > MAX_SECRET:
            return None
        found = await self._sessions.find_session(secrets.digest(secret), now)
        if found is None:
            return None
        with suppress(StoreUnavailable):  # a database that only reads shows pages all the same
            await self._sessions.see(found[0], now)
        request.state.viewer = await self.shown(found[1])
        return SignedInBrowser(*found, secret, request.state.viewer)

    def to_login(self, request_path_and_query: str, now: datetime, *, fresh: bool = False) -> Response:
        """The way to the sign-in page and back. `fresh` asks a provider to ask again, too (`prompt=login`)."""
        sealed = self.returning.seal(request_path_and_query, now, fresh=fresh)
        return see_other(f"{LOGIN_PATH}?continue={quote(sealed, safe='')}")

    async def enter(
        self, request: Request, user: User, path: str, now: datetime, passkey: Passkey | None = None
    ) -> Response:
        """Sign this browser in, perhaps by a passkey, and lead it to `path`. The session that it had ends."""
        secret, lifetime = randomness.token_urlsafe(SECRET_BYTES), self._settings.session
        browser = browser_name(request.headers.get("user-agent", ""))
        session = Session(secrets.digest(secret), user.id, now, now + lifetime, now, browser)
        await self._sessions.open_session(session)
        if passkey is None:
            self.note(user, "signed_in")
        else:
            self.note(user, "signed_in_by_passkey", passkey.id, passkey.name)
        await self._end_session(request)
        response = see_other(path)
        self.cookies.set(response, SESSION, secret, lifetime)
        return response

    async def leave(self, request: Request, response: Response) -> None:
        await self._end_session(request)
        self.cookies.clear(response, SESSION)

    def note(self, user: User, event: str, client_id: str | None = None, client_name: str | None = None) -> None:
        self._activity.note(user.id, event, client_id, client_name=client_name)

    def refused(self) -> None:
        """Somebody tried to sign in and may not; as whom is not told, for that may be a password in the wrong field."""
        self._activity.note(None, "sign_in_failed", outcome="refused")

    async def shown(self, user: User) -> str:
        """How a page names the account: by an address that was proven to be theirs, or by where it comes from."""
        if user.password_hash is not None:
            return user.email
        address = await self._sessions.verified_address(user.id)
        return address or f"your account at {user.email.rpartition('@')[2]}"

    async def sender(self, request: Request, parameters: Parameters, purpose: str, now: datetime) -> "SignedInBrowser":
        """As `of`, for who sent this form. Raises `AccessDenied`: nobody is signed in; or as `check_form`."""
        found = await self.of(request, now)
        if found is None:
            raise SignedOut
        self.check_form(request, parameters, found.secret, purpose)
        return found

    def check_form(self, request: Request, parameters: Parameters, secret: str, purpose: str) -> None:
        """Two proofs that our own page sent this form, so that neither alone must hold.

        Raises `AccessDenied`: it came from another site, or without the token of this session and purpose.
        """
        if not self._is_own_origin(request):
            raise AccessDenied("The form was sent from another site. Open the page here and try again.")
        if not csrf.is_token(parameters.get(csrf.FIELD), secret, purpose):
            raise AccessDenied("The form belongs to another sign-in; load the page again.")

    async def _end_session(self, request: Request) -> None:
        secret = self.cookies.get(request, SESSION)
        if secret is not None and len(secret) <= MAX_SECRET:
            await self._sessions.end_session(secrets.digest(secret))

    def _is_own_origin(self, request: Request) -> bool:
        # Absent and `null` are refused: browsers name the origin of every form that they post, unless the page's
        # referrer policy is no-referrer, which is why ours is same-origin (Fetch standard, "append a request Origin").
        origins = request.headers.getlist("origin")
        site = urlsplit(self._settings.site_url)
        own = {f"{site.scheme}://{site.netloc}"}
        if not self._settings.is_https:
            # Loopback has several names. Which of them a Host header may hold is checked at the edge.
            own.add(f"http://{request.headers.get('host', '')}")
        return len(origins) == 1 and origins[0] in own


_NAMES = tomllib.loads(files(__package__).joinpath("browsers.toml").read_text("utf-8"))
"""Of browsers and of systems, by what stands in a User-Agent."""


def browser_name(agent: str) -> str | None:
    """Such as "Firefox on Linux", for people to tell their sessions apart. It proves nothing."""
    known = (next((name for mark, name in names.items() if mark in agent), None) for names in _NAMES.values())
    return " on ".join(name for name in known if name) or None


def see_other(address: str) -> Response:
    """A redirect that turns a POST into a GET and is not remembered."""
    return RedirectResponse(address, 303, headers=NO_STORE)
