"""The signed-in browser, as the pages meet it: who it is, where it signs in, and whether it really sent this form."""

from datetime import datetime
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oauth.activity import UNRECORDED, ActivityRecorder
from oauth.endpoints.cookies import SESSION, Cookies
from oauth.endpoints.http import NO_STORE
from oauth.errors import AccessDenied
from oauth.flows.external_sign_in import ReturnUrls
from oauth.flows.sign_in import Sessions
from oauth.grants import Session
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings

LOGIN_PATH = "/oauth/login"


class SignedIn:
    """What every page of a signed-in person asks."""

    def __init__(
        self,
        sessions: Sessions,
        returning: ReturnUrls,
        settings: OAuthSettings,
        activity: ActivityRecorder = UNRECORDED,
    ) -> None:
        self._sessions, self._returning, self._activity = sessions, returning, activity
        self._settings, self._cookies = settings, Cookies(settings)

    async def of(self, request: Request, now: datetime) -> tuple[Session, User, str] | None:
        """The session of this browser, its account, and the secret from which its forms' tokens are made."""
        secret = self._cookies.get(request, SESSION)
        found = await self._sessions.of(secret, now)
        return None if secret is None or found is None else (*found, secret)

    def to_login(self, request_path_and_query: str, now: datetime, *, fresh: bool = False) -> Response:
        """The way to the sign-in page and back. `fresh` asks a provider to ask again, too (`prompt=login`)."""
        sealed = self._returning.seal(request_path_and_query, now, fresh=fresh)
        return see_other(f"{LOGIN_PATH}?continue={quote(sealed, safe='')}")

    async def enter(self, request: Request, user: User, path: str, now: datetime) -> Response:
        """Sign this browser in and lead it to `path`. The session that it had ends."""
        secret = await self._sessions.open(user, now)
        self.note(user, "signed_in")
        await self._sessions.end(self._cookies.get(request, SESSION))
        response = see_other(path)
        self._cookies.set(response, SESSION, secret, self._settings.session)
        return response

    async def leave(self, request: Request, response: Response) -> None:
        """Sign this browser out; `response` takes its cookie away."""
        await self._sessions.end(self._cookies.get(request, SESSION))
        self._cookies.clear(response, SESSION)

    def note(self, user: User, event: str, client_id: str | None = None, client_name: str | None = None) -> None:
        """Have it shown on the account page that this happened."""
        self._activity.note(user.id, event, client_id, client_name=client_name)

    def refused(self) -> None:
        """Somebody tried to sign in and may not; as whom is not told, for that may be a password in the wrong field."""
        self._activity.note(None, "sign_in_failed", outcome="refused")

    async def shown(self, user: User) -> str:
        """How a page names the account."""
        return await self._sessions.shown(user)

    def check_form(self, request: Request, parameters: Parameters, secret: str, purpose: str) -> None:
        """Two proofs that our own page sent this form, so that neither alone must hold.

        Raises `AccessDenied`: it came from another site, or without the token of this session and purpose.
        """
        if not self._is_own_origin(request):
            raise AccessDenied("The form was sent from another site.")
        if not csrf.is_token(parameters.get(csrf.FIELD), secret, purpose):
            raise AccessDenied("The form belongs to another sign-in; load the page again.")

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


def see_other(address: str) -> Response:
    """A redirect that turns a POST into a GET and is not remembered."""
    return RedirectResponse(address, 303, headers=NO_STORE)
